"""Where MLflow is: its tracking URI taken apart, so that a password is neither shown nor part of a message."""

import os
import re
import shlex
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results

VARIABLE = "MLFLOW_TRACKING_URI"
SECRETS = ("MLFLOW_TRACKING_PASSWORD", "MLFLOW_TRACKING_TOKEN", "PGPASSWORD")
PLACE = r"(?:[^:/?#@\s\[\]]*|\[[0-9a-f:.]+\])(?::\d+)?(?:/[^?#@\s]*)?"
SERVER = re.compile(rf"https?://{PLACE}", re.I)
DATABASE = re.compile(
    rf"(?!https?:)([a-z][a-z0-9+.-]*://)(?:[^:/?#@\s]*(?::([^/?#@\s]*))?@)?({PLACE})(?:\?([^#@\s]*))?", re.I
)


@dataclass(frozen=True)
class Address:
    """A tracking URI. ``str()`` shows it without user, password and what else may be secret."""

    uri: str = field(repr=False)
    public: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.public

    @property
    def is_server(self) -> bool:
        """Whether an MLflow server answers there, not a database."""
        return SERVER.fullmatch(self.uri) is not None

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
        secrets = {*self.secrets, *(os.environ.get(name, "") for name in SECRETS)}
        forms = {form for secret in secrets for form in (secret, unquote(secret))}
        pieces = {piece for form in forms for piece in (form, *re.findall(r"[A-Za-z0-9]{5,}|[^\0-\x7f]", form))}
        return any(piece in text or ascii(piece)[1:-1] in text for piece in pieces - {""})


def database() -> Path:
    """The SQLite file where runs are logged if no tracking URI is given."""
    return results.root() / "mlflow.db"


def address_of(uri: str | None = None) -> Address:
    """The address that a tracking URI names; by default ``MLFLOW_TRACKING_URI``, else ``database()``."""
    uri = uri or os.environ.get(VARIABLE) or f"sqlite:///{database().resolve()}"
    if uri.startswith("sqlite:") or SERVER.fullmatch(uri):
        return Address(uri, uri)
    if uri.startswith("file:") or not (parts := DATABASE.fullmatch(uri)):
        raise UserError(
            f"{VARIABLE} is neither sqlite:///FILE (MLflow's folders of files are not supported) nor "
            "http://host:port nor scheme://user:password@host:port/name (not shown, as it may hold a password): "
            "put a server's user and password into MLFLOW_TRACKING_USERNAME and "
            f"{SECRETS[0]}, and write @ : / ? # % and blanks in a database's as %40 %3A %2F %3F %23 %25 %20"
        )
    scheme, password, place, query = parts.groups()
    hidden = (word.partition("=")[2] for word in (query or "").split("&"))
    return Address(uri, scheme + place, tuple(each for each in (password, *hidden) if each))


def stamp(config: str) -> Path:
    """A file that becomes newer when a config's runs are logged. It goes when its database is gone."""
    place = address_of()
    file = results.root() / config / "tracked" / place.label
    if place.file and not place.file.exists():
        file.unlink(missing_ok=True)
    return file


def shown() -> str:
    """Where runs are logged, for people."""
    if os.environ.get(VARIABLE):
        return str(address_of())
    elsewhere = "" if results.root() == Path("results") else f" RESULTS={shlex.quote(str(results.root()))}"
    return f"{database()} (browse it with: make ui{elsewhere})"
