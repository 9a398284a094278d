"""HIP's headers, compiled once for all tests: reading them is three quarters of the time of most compile commands here. And
what hipcc does before it calls clang, once for all commands of a kind.

hipcc(["lanescope", "hipcc", "-O3", "--offload-arch=gfx90a", "x.hip", "-o", "x"]) is that command with an -include-pch that fits, where
there is one. A kind of command gets its headers when it comes for the second time, for making them costs as much as one compile does.
"""

import fcntl
import hashlib
import os
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import threading

import hangs

FOLDER = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "tests" / "precompiled"
TIMEOUT = 300
# Words that change nothing in what the headers become, and those that no command may have: they show, keep or end what a compiler does.
ELSEWHERE = ("-l", "-L", "-I", "-w", "-W", "-g", "-D", "--lanescope", "--genco", "--hip-link", "--no-gpu-bundle-output", "-emit-llvm",
             "--cuda-device-only", "-shared", "-mcode-object-version")
FOR_HEADERS = ("-D_", "-DHIP", "-DNDEBUG")  # what they may ask for
PAIRS = ("-o", "-mllvm", "-Xarch_device", "-Xoffload-linker")  # whose second word changes nothing, either
NEVER = ("-###", "-nogpuinc", "-E", "-M", "-save-temps", "-include", "-x", "@", "-fsyntax-only")


def _asks_for_level(compiler):
    """Whether headers compiled for one level of optimisation do for no other; all else is the same to them. LLVM 15 and 19 take them."""
    return not pathlib.Path(compiler).name.startswith(("hipcc", "clang++-15", "clang++-19"))


def _start(command):
    """How many words name the compiler: with a launcher two."""
    return 2 if pathlib.Path(command[0]).name.startswith("lanescope") else 1


def _parts(command):
    """Words that count, and sides that are compiled: "host" and GPUs; None for a command of other sources than HIP's."""
    counted, gpus, sources, skip = [], [], 0, False
    words = "\0".join(command[_start(command) :]).replace("-x\0hip\0", "").split("\0")
    for word in words:
        if skip or word in PAIRS:
            skip = not skip
        elif word.startswith(ELSEWHERE) and not word.startswith(FOR_HEADERS):
            continue
        elif word.startswith("--offload-arch="):
            gpus.append(word.removeprefix("--offload-arch="))
        elif word.endswith(".hip"):
            sources += 1
        elif word.startswith(NEVER) or not word.startswith("-") and not word.endswith((".o", ".a")):
            return None
        elif word in ("-O1", "-O2", "-O3") and not _asks_for_level(command[_start(command) - 1]):
            counted.append("-O")
        elif word.startswith("-") and word not in ("-c", "-S", "-O0"):
            counted.append(word)
    host = ["host"] if "--cuda-device-only" not in words else []
    return (counted, host + gpus) if sources and gpus and "--cuda-host-only" not in words else None


def _own_headers(compiler):
    """When what the launcher includes was written: compilers refuse headers that are older."""
    return [path.stat().st_mtime_ns for path in (pathlib.Path(compiler[0]).parent.parent / "share" / "lanescope").glob("*.h")]


def _make(folder, compiler, words, sides):
    """Headers for each side, in a folder where the compiler takes the one that fits. Whether all came to be."""
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    source = folder.with_suffix(".hip")
    source.write_text("#include <hip/hip_runtime.h>\n")
    gpu = next(side for side in sides if side != "host")
    commands = [["--cuda-host-only", f"--offload-arch={gpu}"] if side == "host" else ["--cuda-device-only", f"--offload-arch={side}"]
                for side in sides]
    made = all(subprocess.run([*compiler, *words, *command, "-w", "-S", "-Xclang", "-emit-pch", source, "-o", partial / f"{k}.pch"],
                              capture_output=True, timeout=TIMEOUT, check=False).returncode == 0 for k, command in enumerate(commands))
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
    kind = (len(compiler), _own_headers(compiler), shutil.which(compiler[-1]), *parts)
    kept = FOLDER / hashlib.sha256(repr(kind).encode()).hexdigest()[:16]
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


def _macros(words):
    """A header that defines what the words do: with -D of its own no command takes headers that were compiled without it."""
    lines = ["#define " + word.removeprefix("-D").replace("=", " ", 1) + " 1" * ("=" not in word) for word in words]
    kept = FOLDER / (hashlib.sha256(repr(lines).encode()).hexdigest()[:16] + ".h")
    if not kept.exists():
        partial = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        partial.write_text("\n".join(lines) + "\n")
        partial.rename(kept)
    return ["-include", str(kept)] if lines else []


def _placeholders(words):
    """The words with names of files and folders replaced, so that commands of one kind are the same, and what stood there."""
    names, replaced = [], []
    for word in words:
        name = re.fullmatch(r"(?:-[IL])?([^-].*[/.].*|/.*)", word, re.DOTALL)
        if name:
            names.append(name[1])
            word = word[: name.start(1)] + f"lanescope{len(names) - 1}word{pathlib.PurePath(name[1]).suffix}"
        replaced.append(word)
    return replaced, names


def _hipcc_writes(words):
    """The command of clang that hipcc makes of these words; None if that cannot be seen."""
    done = subprocess.run(["hipcc", *words, "-###"], capture_output=True, timeout=TIMEOUT, check=False, text=True,
                          env={**os.environ, "HIPCC_VERBOSE": "1"})
    line = re.search(r"^hipcc-cmd: (.*)$", done.stdout + done.stderr, re.MULTILINE)
    command = [word for word in shlex.split(line[1]) if word != "-###"] if line else []
    return command if command and shutil.which(command[0]) else None


def _without_hipcc(command):
    """The command as hipcc hands it to clang, which takes a third off its time: hipcc and what it asks clang first run twice
    below our launcher. Host code is linked by LLVM's linker, which is quicker. None for commands where hipcc may do more than that."""
    at = _start(command)
    words, names = _placeholders(command[at:])
    if command[at - 1] != "hipcc" or any(name.endswith((".o", ".a", ".so")) for name in names) or not shutil.which("hipcc"):
        return None
    kept = FOLDER / (hashlib.sha256(repr((shutil.which("hipcc"), words)).encode()).hexdigest()[:16] + ".hipcc")
    if not kept.exists():
        partial = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        partial.write_text(json.dumps(_hipcc_writes(words)))
        partial.rename(kept)
    made = json.loads(kept.read_text())
    if not made:
        return None
    links = [] if {"-c", "-S"} & {*words} else ["-fuse-ld=lld"]
    back = [re.sub(r"lanescope(\d+)word(\..*)?$", lambda m: names[int(m[1])], word) for word in made]
    return [*command[: at - 1], *back, *links]


def ways(command):
    """The command with headers that were compiled before, where some fit, and without hipcc, if it can do without; and as it is."""
    command = [str(c) for c in command]
    at = _start(command)
    headers = folder(command)
    if not headers:
        return [command]
    macros = [word for word in command[at:] if word.startswith("-D") and not word.startswith(FOR_HEADERS)]
    rest = [word for word in command[at:] if word not in macros]
    quick = [*command[:at], "-include-pch", str(headers), *_macros(macros), *rest]
    return [_without_hipcc(quick) or quick, command]


def run(command, **kwargs):
    """hangs.run of a compile command, in the first of its ways that works."""
    for way in ways(command):
        done = hangs.run(way, TIMEOUT, **kwargs)
        if done.returncode == 0:
            break
    return done
