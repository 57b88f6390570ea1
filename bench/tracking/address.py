"""Where MLflow is: its tracking URI taken apart, so that a password is neither shown nor part of a message."""

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results

VARIABLE = "MLFLOW_TRACKING_URI"
USERNAME, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
SECRETS = (PASSWORD, "MLFLOW_TRACKING_TOKEN", "PGPASSWORD")
FORM = re.compile(
    r"""(?P<scheme>[a-z][a-z0-9+.-]*)://
    (?:(?P<user>[^:/?\#@\s]*)(?::(?P<password>[^/?\#@\s]*))?@)?
    (?P<place>(?:[^:/?\#@\s\[\]]*|\[[0-9a-f:.]+\])(?::[0-9]+)?(?:/[^?\#@\s]*)?)
    (?:\?(?P<query>[^\#@\s]*))?""",
    re.VERBOSE | re.IGNORECASE,
)
SHOWN = ("host", "port", "sslmode")  # of a query; whatever else it holds may be a secret


@dataclass(frozen=True)
class Address:
    """A tracking URI. ``str()`` shows it without user, password and what else may be secret."""

    uri: str  # for MLflow; of a server, without user and password
    public: str
    user: str | None = None
    password: str | None = None
    secrets: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.public

    def __repr__(self) -> str:
        return f"Address({self.public!r})"

    @property
    def is_server(self) -> bool:
        """Whether an MLflow server answers there, not a database."""
        return self.public.startswith(("http://", "https://"))

    @property
    def file(self) -> Path | None:
        """The file of a SQLite database."""
        name = self.uri.removeprefix("sqlite:///")
        return None if name == self.uri else Path(name).resolve()

    @property
    def label(self) -> str:
        """A name for files on this place, and no other."""
        name = re.sub(r"[^\w.-]+", "-", self.public).strip("-")[:60]
        return f"{name}-{sha256(self.public.encode()).hexdigest()[:8]}"

    def betrayed_by(self, text: str) -> bool:
        """Whether the text holds a piece of a secret, in whatever way it is written."""
        secrets = (*self.secrets, *(os.environ.get(name, "") for name in SECRETS))
        return any(piece in text for secret in secrets for piece in _pieces(secret))

    @contextlib.contextmanager
    def logged_in(self) -> Iterator[None]:
        """User and password of a server go where MLflow looks for them, and so into none of its URLs."""
        names = {VARIABLE: self.uri, USERNAME: self.user, PASSWORD: self.password}
        given = {name: value for name, value in names.items() if value is not None} if self.is_server else {}
        before = {name: os.environ.get(name) for name in given}
        os.environ.update(given)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def database() -> Path:
    """The SQLite file where runs are logged if no tracking URI is given."""
    return results.root() / "mlflow.db"


def of(uri: str | None = None) -> Address:
    """The address that a tracking URI names; by default ``MLFLOW_TRACKING_URI``, else ``database()``.

    Raises:
        UserError: One cannot tell what of it is a password.
    """
    uri = uri or os.environ.get(VARIABLE) or f"sqlite:///{database().resolve()}"
    if uri.startswith(("sqlite:", "file:")):
        return Address(uri, uri)
    parts = FORM.fullmatch(uri)
    if parts is None:
        raise UserError(
            f"{VARIABLE} is not of the form scheme://user:password@host:port/name (not shown, as it may hold a "
            "password): write @ : / ? # % and blanks in user and password as %40 %3A %2F %3F %23 %25 %20"
        )
    words = [word for word in (parts["query"] or "").split("&") if word]
    shown = [word for word in words if word.partition("=")[0] in SHOWN]
    public = f"{parts['scheme']}://{parts['place']}" + ("?" + "&".join(shown) if shown else "")
    hidden = [word.partition("=")[2] for word in words if word not in shown]
    user, password = (value and unquote(value) for value in (parts["user"], parts["password"]))
    server = parts["scheme"].lower() in ("http", "https")
    token = parts["user"] if server and not parts["password"] else None
    secrets = tuple(value for value in (parts["password"], token, *hidden) if value)
    return Address(public if server else uri, public, user or None, password or None, secrets)


def stamp(config: str) -> Path:
    """A file that becomes newer when a config's runs are logged. It goes when its database is gone."""
    place = of()
    file = results.root() / config / "tracked" / place.label
    if place.file and not place.file.exists():
        file.unlink(missing_ok=True)
    return file


def shown() -> str:
    """Where runs are logged, for people."""
    if os.environ.get(VARIABLE):
        return str(of())
    elsewhere = "" if results.root() == Path("results") else f" RESULTS={shlex.quote(str(results.root()))}"
    return f"{database()} (browse it with: make ui{elsewhere})"


def _pieces(secret: str) -> set[str]:
    """The secret as it is, decoded, escaped; and what of it survives any other way to write it."""
    found: set[str] = set()
    for form in {secret, unquote(secret)}:
        found |= {form, ascii(form)[1:-1], *re.findall(r"[A-Za-z0-9]{5,}", form)}
        for character in form:
            if not character.isascii():
                found |= {character, ascii(character)[1:-1]}
    return found - {""}
