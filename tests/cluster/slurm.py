"""SLURM with some nodes on this machine, for as long as a test: no systemd, no cgroups, no accounting."""

import ctypes
import os
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

# The only place where a job step looks: the executor takes SLURM_CONF out of its environment.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
OURS = "# Written by structbench's tests/cluster, and removed when they end; process"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scontrol")
PATIENCE = 60.0  # seconds for the cluster to start


def missing() -> str:
    """Why SLURM cannot be started here, in a sentence; empty if it can."""
    if CONFIGURATION.exists() and not _left_behind():
        return f"{CONFIGURATION} is there already: the SLURM of this machine, or of another test, stays as it is"
    if absent := [name for name in PROGRAMS if not shutil.which(name)]:
        return (
            f"SLURM is not installed (no {', '.join(absent)}): apt-get install slurmctld slurmd slurm-client munge"
        )
    if os.geteuid() != 0:
        return "SLURM's daemons are started as root only"
    return ""


def _left_behind() -> bool:
    """Whether the configuration is that of a test which is gone."""
    first = CONFIGURATION.read_text().partition("\n")[0]
    return first.startswith(OURS) and not psutil.pid_exists(int(first.removeprefix(OURS)))


class Slurm:
    """A running cluster. ``nodes``: the names of its nodes, which no other cluster has."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder = folder
        tag = secrets.token_hex(3)
        self.nodes = tuple(f"{tag}n{number}" for number in range(nodes))
        self._daemons: dict[str, subprocess.Popen] = {}

    def start(self) -> None:
        """Start the daemons, and wait until all nodes take jobs.

        Raises:
            RuntimeError: they do not; says where the logs are.
        """
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self._daemon(
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
        )  # fmt: skip
        self._wait("munged", (self.folder / "munge.socket").exists)
        self._daemon("slurmctld", "-D", "-i")
        for node in self.nodes:
            self._daemon("slurmd", "-D", "-N", node, name=node)
        self._wait("slurmctld", lambda: [*self.states().values()] == ["idle"] * len(self.nodes))

    def configuration(self) -> str:
        """The text of slurm.conf."""
        host, folder = platform.node().partition(".")[0], self.folder
        control, *ports = _free_ports(1 + len(self.nodes))
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=8000"
            for node, port in zip(self.nodes, ports, strict=True)
        )
        return f"""{OURS} {os.getpid()}
ClusterName=structbench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
MinJobAge=86400
ReturnToService=2
SlurmdTimeout=10
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool.%n
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

    def states(self) -> dict[str, str]:
        """Node -> its state, such as ``idle``, ``alloc`` or ``down``."""
        return dict(line.split() for line in _output("sinfo", "-h", "-N", "-o", "%N %t").splitlines())

    def jobs(self) -> list[tuple[str, str]]:
        """Node and state of each job up to now, by its id; the node is empty for one that did not start."""
        lines = _output("squeue", "--states=all", "--noheader", "--sort=i", "--format=%N|%T").splitlines()
        return [(node, state) for node, state in (line.split("|") for line in lines)]

    def kill(self, node: str) -> None:
        """End a node and all that runs on it at once, as a power cut does."""
        doomed = self._processes_of(node)
        self._daemons[node].kill()
        _kill(doomed + self._processes_of(node))
        self._daemons[node].wait()

    def stop(self) -> None:
        """End whatever runs; also a cluster that did not start."""
        for node in self.nodes:
            if node in self._daemons:
                self.kill(node)
        for name in ("slurmctld", "munged"):
            if (daemon := self._daemons.get(name)) is not None:
                daemon.terminate()
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()

    def _processes_of(self, node: str) -> list[psutil.Process]:
        """The processes of a node's jobs, and the steps that watch them, which SLURM detaches from its daemon."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("SLURMD_NODENAME") == node:
                    found.append(process)
                    found += [p for p in process.parents() if p.name().startswith("slurmstepd")]
            except psutil.Error:  # it has ended meanwhile
                continue
        return found

    def _daemon(self, *words: str, name: str | None = None) -> None:
        name = name or words[0]
        with (self.folder / f"{name}.out").open("wb") as said:
            self._daemons[name] = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_the_test,
            )

    def _wait(self, name: str, ready: Callable[[], bool]) -> None:
        give_up = time.monotonic() + PATIENCE
        while not ready():
            if time.monotonic() > give_up or any(daemon.poll() is not None for daemon in self._daemons.values()):
                raise RuntimeError(f"{name} did not start: see the logs in {self.folder}")
            time.sleep(0.1)


@contextmanager
def running(folder: Path, nodes: int) -> Iterator[Slurm]:
    """A cluster of this many nodes, its files in ``folder``, until the block ends."""
    cluster = Slurm(folder, nodes)
    (folder / "state").mkdir()
    if CONFIGURATION.exists() and _left_behind():
        CONFIGURATION.unlink()
    CONFIGURATION.parent.mkdir(exist_ok=True)
    with ExitStack() as at_the_end:
        with CONFIGURATION.open("x") as file:  # never in place of one that is there
            at_the_end.callback(CONFIGURATION.unlink)
            file.write(cluster.configuration())
        at_the_end.callback(cluster.stop)
        cluster.start()
        yield cluster


def _end_with_the_test() -> None:
    """Have the system end this daemon when the test is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _kill(processes: list[psutil.Process]) -> None:
    """End them all before any of them notices that another one is gone."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)  # which makes sure that the id is not another process's by now


def _output(*words: str) -> str:
    """What a command of SLURM says; empty while the cluster does not answer."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
