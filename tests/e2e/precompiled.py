"""HIP's headers, compiled once for all tests: reading them is three quarters of the time of most compile commands here.

hipcc(["lanescope", "hipcc", "-O3", "--offload-arch=gfx90a", "x.hip", "-o", "x"]) is that command with an -include-pch that fits, where
there is one. A kind of command gets its headers when it comes for the second time, for making them costs as much as one compile does.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess

import hangs

FOLDER = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "tests" / "precompiled"
TIMEOUT = 300
# Words that change nothing in what the headers become, and those that no command may have: they show, keep or end what a compiler does.
ELSEWHERE = ("-l", "-L", "-Wl,", "-I", "-w", "--lanescope", "--genco", "--hip-link", "--no-gpu-bundle-output", "--cuda-device-only",
             "--cuda-host-only", "-shared", "-pthread")
NEVER = ("-###", "-E", "-M", "-save-temps", "-include", "-x", "@", "-fsyntax-only")


def _start(command):
    """How many words name the compiler: with a launcher two."""
    return 2 if pathlib.Path(command[0]).name == "lanescope" else 1


def _parts(command):
    """Words that count, and GPUs; None for a command of other sources than HIP's."""
    counted, gpus, sources, skip = [], [], 0, False
    for word in command[_start(command):]:
        if skip or word == "-o":
            skip = not skip
        elif word.startswith(ELSEWHERE):
            continue
        elif word.startswith("--offload-arch="):
            gpus.append(word.removeprefix("--offload-arch="))
        elif word.endswith(".hip"):
            sources += 1
        elif word.startswith(NEVER) or not word.startswith("-") and not word.endswith((".o", ".a")):
            return None
        elif word.startswith("-") and word != "-c":
            counted.append(word)
    return (counted, gpus) if sources and gpus else None


def _make(folder, compiler, words, gpus):
    """Headers for the host and for each GPU, in a folder where the compiler takes the one that fits. Whether all came to be."""
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    source = folder.with_suffix(".hip")
    source.write_text("#include <hip/hip_runtime.h>\n")
    sides = [("host", ["--cuda-host-only", f"--offload-arch={gpus[0]}"])]
    sides += [(gpu.replace(":", "_"), ["--cuda-device-only", f"--offload-arch={gpu}"]) for gpu in gpus]
    made = all(subprocess.run([*compiler, *words, *side, "-w", "-S", "-Xclang", "-emit-pch", source, "-o", partial / f"{name}.pch"],
                              capture_output=True, timeout=TIMEOUT, check=False).returncode == 0 for name, side in sides)
    if made:
        partial.rename(folder)
    return made


def folder(command):
    """The folder of headers that fit the command; None where there are none."""
    parts = _parts(command)
    compiler = command[: _start(command)]
    if not parts or not all(map(shutil.which, compiler)):
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = FOLDER / hashlib.sha256(repr((len(compiler), shutil.which(compiler[-1]), *parts)).encode()).hexdigest()[:16]
    asked = kept.with_suffix(".asked")  # "" by the first command, "no" where none can be made
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.is_dir():
            return kept
        if not asked.exists():
            asked.write_text("")
        elif asked.read_text() != "no":
            if _make(kept, compiler, *parts):
                return kept
            asked.write_text("no")
    return None


def run(command, **kwargs):
    """hangs.run of a compile command, with headers that were compiled before where some fit."""
    command = [str(c) for c in command]
    headers = folder(command)
    if headers:
        at = _start(command)
        done = hangs.run([*command[:at], "-include-pch", str(headers), *command[at:]], TIMEOUT, **kwargs)
        if done.returncode == 0:
            return done
    return hangs.run(command, TIMEOUT, **kwargs)
