"""Runs a command with limits of time and of processor time that also end what the command started."""

import dataclasses
import os
import resource
import signal
import subprocess
import tempfile
import time

_running = set()

OUTPUT_LIMIT = 1 << 20  # of the output, the first and the last half of this are kept
TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Result:
    status: int  # negative: signal
    output: str  # both streams
    seconds: float
    late: str  # the limit that ended it, or ""
    processor_seconds: float = 0.0


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


def _end(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_all_on_signals():
    """SIGINT and SIGTERM end this process at once, and all that it started, which would not see them by itself."""

    def handler(number, _frame):
        for group in list(_running):
            _end(group)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _processor_seconds(session):
    """Of all processes of the session, and of those that these have waited for (proc(5), /proc/PID/stat)."""
    ticks = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rpartition(")")[2].split()  # begins with field 3, the state
        except OSError:  # has ended
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks * TICK


def _bytes(folder):
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except FileNotFoundError:  # not made yet, or a file in it was renamed meanwhile
        return 0


def _watch(process, seconds, processor_seconds, output, output_limit):
    """Waits for the process, or until a limit is reached; returns that limit in words, and the processor time used."""
    end, used = time.monotonic() + seconds, 0.0
    while True:
        try:
            process.wait(max(0, min(0.5, end - time.monotonic())))
            return "", used
        except subprocess.TimeoutExpired:
            used = _processor_seconds(process.pid)
        if processor_seconds and used > processor_seconds:
            return f"{processor_seconds:g} s of processor time", used
        if time.monotonic() >= end:
            return f"{seconds:g} s", used
        if output and _bytes(output) > output_limit:
            return f"{output_limit >> 20} MB in {os.path.basename(output)}", used


def call(command, folder, environment=None, seconds=600, processor_seconds=None, output=None, output_limit=0):
    """Runs `command` in `folder`, without input. `environment` is added to that of this process. `processor_seconds`
    limits what its processes use together; where many programs share the cores, that says more than the time.
    `output_limit`: bytes that the files in the folder `output` may have.
    """
    begin, late, used = time.monotonic(), "", 0.0
    with tempfile.TemporaryFile() as file:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})}, start_new_session=True, preexec_fn=_limits,
        )
        _running.add(process.pid)
        try:
            late, used = _watch(process, seconds, processor_seconds, output, output_limit)
        finally:
            _end(process.pid)  # also what it left behind
            process.wait()
            _running.discard(process.pid)
        return Result(process.returncode, _read(file), time.monotonic() - begin, late, used)


def is_executable(path):
    """Whether the file is an ELF executable (and no object file or shared library by name)."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK) or ".so" in os.path.basename(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"
