"""The `opt` that instruments one kernel after the other (llvm-pass/ls_serve.c): starting LLVM takes as long as a kernel does."""

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import threading

SECONDS = 300  # an answer that takes longer never comes
_KEPT = 2  # servers that wait for work
_lock = threading.Lock()
_idle = []  # of this process; what it forks starts its own


class Gone(Exception):
    """The server ended without an answer; the text says how."""


class Refused(Exception):
    """What the server said instead of instrumented IR."""


class _Server:
    """One server. It is no child of ours once it serves; closing the connection ends it."""

    def __init__(self, command, environment):
        self.command, self.environment = command, environment
        self.answers, self._pid, self._said, self._received = 0, None, 0, b""
        self._connection, theirs = socket.socketpair()
        self._connection.settimeout(SECONDS)
        self._box, self._complaints = os.memfd_create("lanescope"), os.memfd_create("lanescope")
        self._opened = {fd: self._identity(fd) for fd in (self._connection.fileno(), self._box, self._complaints)}
        with theirs:
            self._starter = subprocess.Popen(command, stdin=theirs, stdout=self._box, stderr=self._complaints, env=environment)

    @staticmethod
    def _identity(fd):
        with contextlib.suppress(OSError):
            state = os.fstat(fd)
            return state.st_dev, state.st_ino
        return None

    def is_ours(self):
        """False when the program has closed our files, as those do that become daemons; their numbers may be others' now."""
        return all(self._identity(fd) == opened for fd, opened in self._opened.items())

    def close(self):
        if self._starter.poll() is None:
            self._starter.kill()
            self._starter.wait()
        self._connection.detach()
        for fd, opened in self._opened.items():
            if self._identity(fd) == opened:
                os.close(fd)

    def ask(self, text):
        data, written = text.encode(), 0
        os.ftruncate(self._box, 0)
        while written < len(data):
            written += os.pwrite(self._box, data[written:], written)
        with contextlib.suppress(OSError):  # it has ended, which `answer` tells
            self._connection.sendall(b"%d\n" % len(data), socket.MSG_NOSIGNAL)

    def _complaint(self):
        """What was said since the last answer."""
        said = os.pread(self._complaints, 1 << 16, self._said)
        self._said += len(said)
        return said.decode(errors="replace")

    def _line(self):
        """The next two words."""
        try:
            while b"\n" not in self._received:
                more = self._connection.recv(256)
                if not more:
                    raise ConnectionError
                self._received += more
        except socket.timeout:
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)
            raise Gone(f"no answer in {SECONDS} s") from None
        except OSError:
            code = self._starter.wait() if not self.answers else 0
            raise Gone(self._complaint().strip() or f"exit code {code}") from None
        line, self._received = self._received.split(b"\n", 1)
        word, number = line.split()
        return word, int(number)

    def answer(self):
        """IR with clones, and what was complained of."""
        word, number = self._line()
        if word == b"serving":
            self._pid = number
            self._starter.wait()  # which has ended, or is about to
            word, number = self._line()
        text = os.pread(self._box, number, 0).decode(errors="replace")
        self.answers += 1
        if word != b"made":
            raise Refused(text)
        return text, self._complaint()


def _take(command, environment):
    with _lock:
        for server in _idle:
            if (server.command, server.environment) == (command, environment):
                _idle.remove(server)
                break
        else:
            server = None
    if server and not server.is_ours():
        server.close()
        server = None
    return server or _Server(command, environment)


def _keep(server):
    with _lock:
        _idle.append(server)
        surplus = [_idle.pop(0) for _ in range(len(_idle) - _KEPT)]
    for old in surplus:
        old.close()


def prepare(command, environment):
    """Starts a server, unless one waits: it loads while others work."""
    _keep(_take(command, environment))


@contextlib.contextmanager
def asked(command, environment, text):
    """Has the text instrumented; the function that it gives returns IR and complaints, when they are there."""
    server = _take(command, environment)
    server.ask(text)

    def answer():
        nonlocal server
        try:
            return server.answer()
        except Gone:
            if not server.answers:
                raise
        server.close()  # it had ended since it was used last
        server = _Server(command, environment)
        server.ask(text)
        return server.answer()

    try:
        yield answer
    except BaseException:
        server.close()
        raise
    _keep(server)


def _forget():
    while _idle:
        _idle.pop().close()


def _forked():
    global _lock
    _lock = threading.Lock()
    _forget()


atexit.register(_forget)
os.register_at_fork(after_in_child=_forked)
