"""Instrumentation and, for old Tritons, code generation by the tools of our LLVM."""

import contextlib
import os
import re
import subprocess
import tempfile

from . import pieces

SECONDS = 300  # a tool that takes longer hangs


class Failed(Exception):
    """A tool could not do it; the text is its first complaint."""


@contextlib.contextmanager
def _running(arch, *command, text=""):
    """Starts the tool; the function that it gives returns what the tool has written, once it has ended."""
    with open(os.memfd_create("lanescope"), "w+") as given:  # a pipe would have to be filled while others work
        given.write(text)
        given.seek(0)
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=pieces.environment(arch))

    def ended():
        out, err = process.communicate(timeout=SECONDS)
        if process.returncode:
            lines = [line for line in err.splitlines() if line.strip()] or [f"exit code {process.returncode}"]
            complaint = next((line for line in lines if re.search(r"(^|: )(error|LLVM ERROR):", line)), lines[0])
            raise Failed(f"{command[0]}: {complaint[:300]}")
        return out, err

    try:
        yield ended
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _run(arch, *command, text=""):
    with _running(arch, *command, text=text) as ended:
        return ended()[0]


@contextlib.contextmanager
def instrumenting(text, arch):
    """A function that returns the IR with a clone beside each kernel, and the site table; the tool works meanwhile. Triton's
    functions do not say for which processor they are, and what code generation makes of an atomic depends on it."""

    def made():
        out, err = ended()
        if "@__ls_k_" not in out:
            raise Failed(err.strip() or "the plugin made no clone")
        return out

    with _running(arch, pieces.tool("opt"), f"-mcpu={arch}", f"-load-pass-plugin={pieces.plugin()}", "-passes=lanescope", "-S", "-",
                  "-o", "-", text=text) as ended:
        yield made


def assembly(text, arch, no_nans=True, fusion=True):
    """What Triton's translate_to_asm does, by our LLVM: level 3, PIC, its floating-point options."""
    options = ["-fp-contract=fast"] * bool(fusion) + ["-enable-no-nans-fp-math"] * bool(no_nans)
    return _run(arch, pieces.tool("llc"), "-O3", f"-mcpu={arch}", "-relocation-model=pic", *options, "-", "-o", "-", text=text)


def code_object(text, arch):
    """Assembly of our LLVM as a code object, which older assemblers may not read."""
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        part, whole = f"{folder}/part.o", f"{folder}/whole.hsaco"
        _run(arch, pieces.tool("llvm-mc"), "--triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", "-",
             "-o", part, text=text)
        _run(arch, pieces.tool("ld.lld"), "-shared", part, "-o", whole)
        with open(whole, "rb") as f:
            return f.read()
