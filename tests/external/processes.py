"""Runs a command with a time limit that also ends what the command started."""

import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import time

OUTPUT_LIMIT = 1 << 20  # of the output, the first and the last half of this are kept


@dataclasses.dataclass
class Result:
    status: int  # negative: signal
    output: str  # both streams
    seconds: float
    late: bool  # ended by the time limit


def _limits():
    # No limit of file sizes: the software GPU's memory is a file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(file):
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= OUTPUT_LIMIT:
        return file.read().decode(errors="replace")
    first = file.read(OUTPUT_LIMIT // 2)
    file.seek(size - OUTPUT_LIMIT // 2)
    return (first + b"\n[...]\n" + file.read()).decode(errors="replace")


def call(command, folder, environment=None, seconds=600):
    """Runs `command` in `folder`, without input. `environment` is added to that of this process."""
    begin, late = time.monotonic(), False
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})}, start_new_session=True, preexec_fn=_limits,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # also what it left behind
            except ProcessLookupError:
                pass
            process.wait()
        return Result(process.returncode, _read(file), time.monotonic() - begin, late)


def is_executable(path):
    """Whether the file is an ELF executable (and no object file or shared library by name)."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK) or ".so" in os.path.basename(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"
