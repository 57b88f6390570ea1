"""Patch numba to make machine code for the outermost functions only, with the code of all that they call.

numba translates each function into machine code, and again with each function that calls it. Here only the
outermost functions are translated: functions that Python calls, and functions marked ``outermost``. A short
function is optimised on its own, as numba does. Without that, passes over chains take a third longer. A long one
is optimised only as part of an outermost one, not again at each level of nesting.
"""

from typing import Any, Literal

from numba import _dynfunc  # pyright: ignore[reportAttributeAccessIssue] - a C module without types
from numba.core import codegen, cpu, typed_passes
from numba.core.environment import lookup_environment

ENVIRONMENT = "_ZN08NumbaEnv"  # begins the names of the globals by which functions find their constants
LONG = 4000  # lines of LLVM's language, the functions that it calls included


class InnerLibrary(codegen.JITCodeLibrary):
    """The LLVM code of a function that only others call, with the code of the functions that it calls."""

    def _optimize_final_module(self) -> None:
        if str(self._final_module).count("\n") <= LONG:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


def attach() -> None:
    """Have numba translate outermost functions only, from now on."""
    lower, executable = typed_passes.NativeLowering.run_pass, cpu.CPUContext.get_executable

    def run_pass(self: Any, state: Any) -> Literal[True]:
        outermost = not state.flags.no_cpython_wrapper or hasattr(state.func_id.func, "outermost")
        if state.library is None and not outermost:
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return lower(self, state)

    def get_executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        if isinstance(library, InnerLibrary):
            library._ensure_finalized()
            name = fndesc.qualname.split(".")[-1]
            return _dynfunc.make_function(fndesc.lookup_module(), name, "", 0, env, (library,))
        made = executable(self, library, fndesc, env)
        for each in library._final_module.global_variables:
            inner = lookup_environment(each.name) if each.name.startswith(ENVIRONMENT) else None
            if inner is not None:
                library.codegen.set_env(each.name, inner)
        return made

    typed_passes.NativeLowering.run_pass = run_pass
    cpu.CPUContext.get_executable = get_executable
