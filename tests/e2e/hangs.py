"""Commands that must end: one that does not is described, thread by thread, before it is ended."""

import pathlib
import shutil
import subprocess

GDB = ["gdb", "-nx", "-batch", "-ex", "set pagination off", "-ex", "thread apply all backtrace", "-p"]


def children(pid):
    """The processes below `pid`, itself first."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += children(int(child))
    return found


def kernel_view(pid):
    """What the kernel says of each thread: its name, state, processor time in ticks, and the call it waits in."""
    lines = []
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        state, *rest = (task / "stat").read_text().rpartition(")")[2].split()
        call = (task / "syscall").read_text().strip()
        lines.append(f"  thread {task.name} {(task / 'comm').read_text().strip()}: {state}, "
                     f"{rest[10]} user, {rest[11]} system, call {call}")
    return "\n".join(lines)


def describe(pid):
    """Threads and stacks of `pid` and of what it started. A process that ends meanwhile is left out."""
    parts = []
    for process in children(pid):
        try:
            parts.append(f"process {process}\n{kernel_view(process)}")
        except OSError:
            continue
        if shutil.which("gdb"):
            stacks = subprocess.run(GDB + [str(process)], capture_output=True, text=True, timeout=120, check=False)
            parts.append(stacks.stdout)
    return "\n".join(parts)


def end(process):
    """Ends what runs, with what it started, and returns its output."""
    for pid in reversed(children(process.pid)):
        subprocess.run(["kill", "-9", str(pid)], check=False)
    return process.communicate()


def run(command, timeout, **kwargs):
    """subprocess.run with text output; a command that does not end in `timeout` seconds is an AssertionError that says
    what each of its threads was doing."""
    text = kwargs.pop("input", None)
    with subprocess.Popen(command, stdin=subprocess.PIPE if text is not None else kwargs.pop("stdin", None),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs) as process:
        try:
            out, err = process.communicate(text, timeout=timeout)
        except subprocess.TimeoutExpired as error:
            threads = describe(process.pid)
            out, err = end(process)
            raise AssertionError(f"{command} has not ended after {timeout} s\n{threads}\n{out}\n{err}") from error
        return subprocess.CompletedProcess(command, process.returncode, out, err)
