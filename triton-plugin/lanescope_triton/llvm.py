"""Instrumentation and, for old Tritons, code generation by the tools of our LLVM."""

import re
import subprocess
import tempfile

from . import pieces

SECONDS = 300  # a tool that takes longer hangs


class Failed(Exception):
    """A tool could not do it; the text is its first complaint."""


def _run(arch, *command, text=None):
    done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=SECONDS,
                          env=pieces.environment(arch))
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"]
        complaint = next((line for line in lines if re.search(r"(^|: )(error|LLVM ERROR):", line)), lines[0])
        raise Failed(f"{command[0]}: {complaint[:300]}")
    return done


def instrument(text, arch):
    """IR with a clone beside each kernel, and the site table. Triton's functions do not say for which processor they are, and
    what code generation makes of an atomic depends on it."""
    done = _run(arch, pieces.tool("opt"), f"-mcpu={arch}", f"-load-pass-plugin={pieces.plugin()}", "-passes=lanescope", "-S", "-",
                "-o", "-", text=text)
    if "@__ls_k_" not in done.stdout:
        raise Failed(done.stderr.strip() or "the plugin made no clone")
    return done.stdout


def assembly(text, arch, no_nans=True, fusion=True):
    """What Triton's translate_to_asm does, by our LLVM: level 3, PIC, its floating-point options."""
    options = ["-fp-contract=fast"] * bool(fusion) + ["-enable-no-nans-fp-math"] * bool(no_nans)
    done = _run(arch, pieces.tool("llc"), "-O3", f"-mcpu={arch}", "-relocation-model=pic", *options, "-", "-o", "-",
                text=text)
    return done.stdout


def code_object(text, arch):
    """Assembly of our LLVM as a code object, which older assemblers may not read."""
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        part, whole = f"{folder}/part.o", f"{folder}/whole.hsaco"
        _run(arch, pieces.tool("llvm-mc"), "--triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", "-",
             "-o", part, text=text)
        _run(arch, pieces.tool("ld.lld"), "-shared", part, "-o", whole)
        with open(whole, "rb") as f:
            return f.read()
