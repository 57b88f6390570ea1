"""Passwords: they reach the server, and nobody else, whatever characters they hold."""

import base64
import http.server
import json
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench import __main__
from structbench.bench.runs import results
from structbench.bench.tracking import address, opening
from structbench.bench.tracking.track import track

USERNAME, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"
PASSWORDS = [
    "secret",
    "p@ss:w/rd",
    "what?#frag",
    "50%25off%",
    'it\'s "quoted"',
    "back\\slash",
    "zażółć gęślą",
    "ключ",
]
PASSWORDS += ["\N{KEY}\N{KEY}\N{KEY}"]
SCHEMES = ["postgresql", "postgresql+psycopg2", "mysql"]


def pieces(password):
    """What of a password must not be seen: itself, as URIs and Python write it, and its longer words."""
    longer = [word for word in password.replace("/", " ").replace("@", " ").split() if len(word) > 3]
    return {password, quote(password, safe=""), quote(password), ascii(password)[1:-1], *longer}


def assert_not_seen(password, *texts):
    for text in texts:
        assert not [piece for piece in pieces(password) if piece in text], text


@pytest.fixture
def seen(capfd, caplog):
    """Everything that was printed or logged, and what an exception would show as a traceback."""

    def everything(error):
        printed = capfd.readouterr()
        return printed.out, printed.err, caplog.text, "".join(traceback.format_exception(error)), repr(error)

    return everything


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Results of this test's own, and no patience with servers."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    for name in (address.VARIABLE, USERNAME, PASSWORD):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_server_that_does_not_answer_is_said_without_its_password(scheme, password, seen):
    uri = f"{scheme}://me:{quote(password, safe='')}@127.0.0.1:9/place?password={quote(password, safe='')}"
    with pytest.raises(UserError) as caught:
        track([], uri)
    assert str(caught.value).startswith(f"cannot log to {scheme}://127.0.0.1:9/place: ")
    assert "no finished run is lost" in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert_not_seen(password, *seen(caught.value))


REFUSED = r"neither sqlite:///FILE .*nor http://host:port nor scheme://user:password@host.*write @ : / .* as %40"


@pytest.mark.parametrize("password", [password for password in PASSWORDS if set("@/:?# ") & set(password)])
def test_a_password_that_is_not_encoded_is_refused_and_not_shown(password, seen):
    with pytest.raises(UserError, match=REFUSED) as caught:
        track([], f"postgresql://me:{password}@127.0.0.1:9/place")
    assert_not_seen(password, *seen(caught.value))


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("uri", ["http://me:{}@127.0.0.1:9", "https://{}@127.0.0.1/place", "http://a:9/?token={}"])
def test_a_servers_password_in_a_uri_is_refused_and_not_shown(uri, password, seen):
    said = "put a server's user and password into MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
    with pytest.raises(UserError, match=said) as caught:
        track([], uri.format(quote(password, safe="")))
    assert_not_seen(password, *seen(caught.value))


WRONG = [
    "./secret",
    "file:///home/me/secret",
    "http://me:secret",
    "me:secret@host",
    "postgresql:/me:secret@host",
    "postgresql://me:secret",
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_uri_is_not_shown(wrong, seen):
    with pytest.raises(UserError, match=REFUSED) as caught:
        track([], wrong)
    assert_not_seen("secret", *seen(caught.value))


@pytest.mark.parametrize("password", [*PASSWORDS, "a\\b"])
def test_a_message_that_holds_a_piece_of_a_password_in_any_writing_is_known(password, monkeypatch):
    monkeypatch.setenv(PASSWORD, "")
    place = address.address_of(f"mysql://me:{quote(password, safe='')}@127.0.0.1:9/place?token=hidden&port=9")
    assert str(place) == "mysql://127.0.0.1:9/place" and "me:" not in repr(place)
    for piece in (password, quote(password, safe=""), ascii(password)[1:-1], "hidden"):
        assert place.betrayed_by(f"cannot connect ({piece})"), piece
    assert not place.betrayed_by("127.0.0.1 does not answer, 0x1")
    assert not address.address_of("sqlite:///a").betrayed_by("x")
    monkeypatch.setenv("PGPASSWORD", "other")
    assert address.address_of("sqlite:///a").betrayed_by("the other one")


@pytest.fixture
def parrot():
    """A server that lets nobody in, and repeats to everybody with which user and password they came."""
    heard = []

    class Parrot(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode())
            body = json.dumps({"error_code": "PERMISSION_DENIED", "message": f"not you, {heard[-1]}"}).encode()
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, *words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Parrot) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, heard
        server.shutdown()


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_server_gets_the_password_and_cannot_have_us_repeat_it(password, parrot, seen, monkeypatch):
    port, heard = parrot
    monkeypatch.setenv(USERNAME, "me")
    monkeypatch.setenv(PASSWORD, password)
    with pytest.raises(UserError, match=f"cannot log to http://127.0.0.1:{port}: .*may hold a password") as caught:
        track([], f"http://127.0.0.1:{port}")
    assert set(heard) == {f"me:{password}"}
    assert_not_seen(password, *seen(caught.value))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ModuleNotFoundError("No module named 'x'", name="x"),
            "No module named 'x'; no",
        ),
        (OSError("a" * 400 + "\nmore"), f"{'a' * 300}; no finished run is lost"),
        (OSError("me:secret refused"), "OSError, whose message may hold a password; no"),
        (ValueError("for secret"), "ValueError, whose message may hold a password; no"),
        (ValueError("a fault of ours"), None),
    ],
)
def test_an_error_is_a_sentence_unless_it_is_a_fault_of_ours(error, said):
    def fail():
        raise error

    place = address.address_of("mysql://me:secret@127.0.0.1:9")
    with pytest.raises(UserError if said else ValueError) as caught:
        opening.explained(place, fail)
    assert caught.value is error if said is None else f"cannot log to {place}: {said}" in str(caught.value)


def test_a_signal_that_a_library_took_for_an_error_is_a_signal_again():
    def fail():
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("roll back first")

    with pytest.raises(KeyboardInterrupt):
        opening.explained(address.address_of("http://127.0.0.1:9"), fail)


def test_the_command_line_says_it_in_a_sentence(monkeypatch, tmp_path, capfd):
    password, config = "p@ss:w/rd", tmp_path / "none.yaml"
    config.write_text("grids: [{name: one, data: mnist, C: 1, algorithms: {eg: }}]\n")
    monkeypatch.setenv(address.VARIABLE, f"postgresql://me:{quote(password, safe='')}@127.0.0.1:9")
    assert __main__.main(["track", "--config", str(config)]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("error: cannot log to postgresql://127.0.0.1:9: ") and err.count("\n") == 1
    assert_not_seen(password, err)


def test_each_place_has_a_stamp_whatever_the_password(monkeypatch):
    def stamp(uri, config="quick"):
        monkeypatch.setenv(address.VARIABLE, uri)
        return address.stamp(config)

    hosts = ["http://a:5000", "http://b:5000", "postgresql://a/one", "postgresql://a/two", "sqlite:///a.db"]
    assert len({stamp(uri) for uri in hosts}) == len(hosts)
    assert stamp("mysql://me:secret@a:5000") == stamp("mysql://me:other@a:5000") == stamp("mysql://a:5000")
    assert "secret" not in str(stamp("mysql://me:secret@a:5000"))
    file = stamp("")
    assert stamp("", "paper") != file != address.database()
    for each in (file, address.database()):
        each.parent.mkdir(parents=True, exist_ok=True)
        each.touch()
    assert stamp("").exists()
    address.database().unlink()
    assert not stamp("").exists(), "it goes with the database that it is of"


def test_the_same_results_are_collected_into_one_place_by_one_process_at_a_time():
    here, there = "http://127.0.0.1:9", "http://127.0.0.1:10"
    lock = results.root().resolve() / "tracked" / f"{address.address_of(here).label}.lock"
    with locked(lock):
        with (
            pytest.raises(UserError, match=f"{here}: it is locked by another process"),
            ThreadPoolExecutor(1) as pool,
        ):
            pool.submit(track, [], here, patience=0.1).result()
        with pytest.raises(UserError, match=f"cannot log to {there}: .*refused"):
            track([], there)


def test_where_to_browse_results_that_lie_elsewhere(monkeypatch):
    monkeypatch.delenv(address.VARIABLE, raising=False)
    monkeypatch.delenv(results.VARIABLE, raising=False)
    assert address.shown() == "results/mlflow.db (browse it with: make ui)"
    monkeypatch.setenv(results.VARIABLE, "my results")
    assert address.shown() == "my results/mlflow.db (browse it with: make ui RESULTS='my results')"
