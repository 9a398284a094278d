"""Instrumentation and, for old Tritons, code generation by the tools of our LLVM."""

import contextlib
import os
import re
import subprocess
import tempfile

from . import pieces, serving


class Failed(Exception):
    """A tool could not do it; the text is its first complaint."""


def _complaint(text):
    """The line that says what is wrong, and not that LLVM gives up for that reason."""
    lines = [line for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if "Broken module found" not in line] or lines
    return next((line for line in lines if re.search(r"(^|: )(error|LLVM ERROR):", line)), lines[0])[:300]


def _run(arch, *command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", env=pieces.environment(arch),
                          timeout=serving.SECONDS)
    if done.returncode:
        raise Failed(f"{command[0]}: {_complaint(done.stderr.strip() or f'exit code {done.returncode}')}")
    return done.stdout


# The clone goes through passes that code generation runs on the original, too. LLVM 22's StraightLineStrengthReduce is none
# of these in any Triton: it takes an index of 32 bits for one that does not wrap, so that accesses are merged which Triton's
# LLVM leaves alone. Nothing is rewritten before so many were counted, which no process lives to see.
_OTHER_CODE = "-debug-counter=slsr-counter=1000000000000"


def _server(arch, own=False):
    """Command and environment of the tool that instruments; `own`: Triton's LLVM generates the code."""
    command = (pieces.tool("opt"), "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", f"-load-pass-plugin={pieces.plugin()}",
               *[_OTHER_CODE] * own, "-passes=lanescope-serve", "-disable-output", os.devnull)
    return command, pieces.environment(arch)


def prepare(arch, own=False):
    """A kernel is about to be compiled."""
    serving.prepare(*_server(arch, own))


@contextlib.contextmanager
def instrumenting(text, arch, own=False):
    """A function that returns the IR with a clone beside each kernel, and the site table; the tool works meanwhile. Triton's
    functions do not say for which processor they are, and what code generation makes of an atomic depends on it. `own`: see
    _server."""
    command, environment = _server(arch, own)

    def made():
        try:
            out, complaints = answer()
        except (serving.Gone, serving.Refused) as e:
            raise Failed(f"{command[0]}: {_complaint(str(e) or 'nothing was said')}") from None
        if "@__ls_k_" not in out:
            raise Failed(complaints.strip() or "the plugin made no clone")
        return out

    with serving.asked(command, environment, text) as answer:
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
