"""HIP's headers, compiled once for all tests: reading them is three quarters of the time of most compile commands here. And
what hipcc does before it calls clang, once for all commands of a kind, and programs that several tests compile in the same way.

hipcc(["lanescope", "hipcc", "-O3", "--offload-arch=gfx90a", "x.hip", "-o", "x"]) is that command with an -include-pch that fits, where
there is one. A kind of command gets its headers when it comes for the second time, for making them costs as much as one compile does.
"""

import contextlib
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

BUILD = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"])
FOLDER = BUILD / "tests" / "precompiled"
ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def _output(command):
    """The file that it writes, if it says so."""
    return next((word for before, word in zip(command, command[1:]) if before == "-o"), None)


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


def _kept(kind, suffix=""):
    """Where what belongs to a kind is kept: anything whose text tells it from others."""
    return FOLDER / (hashlib.sha256(repr(kind).encode()).hexdigest()[:16] + suffix)


def _write(kept, text):
    """For all to read at once: others may be writing it, too."""
    partial = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    partial.write_text(text)
    partial.rename(kept)


@contextlib.contextmanager
def _locked(kept):
    """Who comes second finds what the first one has made."""
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _file_of(side, compiler, words):
    """Where the headers for one side of a compilation are kept. For the host they are the same whatever the GPU is."""
    return _kept((len(compiler), _own_headers(compiler), shutil.which(compiler[-1]), words, side), ".pch")


def _headers_of(side, gpu, compiler, words):
    """Their file, made once for all kinds of commands that have this side; None where it cannot be made."""
    made = _file_of(side, compiler, words)
    with _locked(made):
        if not made.exists():
            source, partial = made.with_suffix(".hip"), made.with_suffix(".partial")
            source.write_text("#include <hip/hip_runtime.h>\n")
            command = [*compiler, *words, "--cuda-host-only" if side == "host" else "--cuda-device-only", f"--offload-arch={gpu}", "-w", "-S",
                       "-Xclang", "-emit-pch", source, "-o", partial]
            if subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False).returncode:
                return None
            partial.rename(made)
    return made


def _make(folder, compiler, words, sides):
    """Headers for each side, in a folder where the compiler takes the one that fits. Whether all came to be."""
    gpus = [side for side in sides if side != "host"]
    files = [_headers_of(side, gpus[0] if side == "host" else side, compiler, words) for side in sides]
    if not all(files):
        return False
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for file in set(files):  # a GPU that is named twice has one
        os.link(file, partial / file.name)
    partial.rename(folder)
    return True


def folder(command):
    """The folder of headers that fit the command; None where there are none."""
    parts = _parts(command)
    compiler = command[: _start(command)]
    if not parts or not all(map(shutil.which, compiler)):
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = _kept((len(compiler), _own_headers(compiler), shutil.which(compiler[-1]), *parts))
    asked = kept.with_suffix(".asked")  # "" by the first command, "no" where none can be made
    with _locked(kept):
        if kept.is_dir():
            return kept
        known = all(_file_of(side, compiler, parts[0]).exists() for side in parts[1])
        if not asked.exists() and not known:
            asked.write_text("")
        elif known or asked.read_text() != "no":
            if _make(kept, compiler, *parts):
                return kept
            asked.write_text("no")
    return None


def _macros(words):
    """A header that defines what the words do: with -D of its own no command takes headers that were compiled without it."""
    lines = ["#define " + word.removeprefix("-D").replace("=", " ", 1) + " 1" * ("=" not in word) for word in words]
    kept = _kept(lines, ".h")
    if not kept.exists():
        _write(kept, "\n".join(lines) + "\n")
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
    below our launcher. None for commands where hipcc may do more than that."""
    at = _start(command)
    words, names = _placeholders(command[at:])
    inputs = [name for name in names if name != _output(command)]
    if command[at - 1] != "hipcc" or any(name.endswith((".o", ".a", ".so")) for name in inputs) or not shutil.which("hipcc"):
        return None
    kept = _kept((shutil.which("hipcc"), words), ".hipcc")
    if not kept.exists():
        _write(kept, json.dumps(_hipcc_writes(words)))
    made = json.loads(kept.read_text())
    if not made:
        return None
    back = [re.sub(r"lanescope(\d+)word(\..*)?$", lambda m: names[int(m[1])], word) for word in made]
    return [*command[: at - 1], *back]


def ways(command):
    """The command with headers that were compiled before, where some fit, without hipcc, if it can do without, and with LLVM's linker
    for host code, which is quicker; and as it is."""
    command = [str(c) for c in command]
    at = _start(command)
    headers = folder(command)
    if not headers:
        return [command]
    macros = [word for word in command[at:] if word.startswith("-D") and not word.startswith(FOR_HEADERS)]
    rest = [word for word in command[at:] if word not in macros]
    quick = [*command[:at], "-include-pch", str(headers), *_macros(macros), *rest]
    links = [] if {"-c", "-S", "--cuda-device-only"} & {*command} else ["-fuse-ld=lld"]
    way = _without_hipcc(quick)
    return [[*(way or quick), *(links if way or command[at - 1] != "hipcc" else [])], command]


def _written(command):
    """Files of this repository that a command is made of: all beside its sources, and below its folders of headers. None when there are others."""
    words = command[_start(command) :]
    headers = [word.removeprefix("-I") for before, word in zip(["", *words], words)
               if before in ("-I", "-isystem") or word.startswith("-I") and word != "-I"]
    if any(word.endswith((".o", ".a")) and word != _output(command) for word in words):
        return None
    found = set()
    for folder, pattern in [*((pathlib.Path(word).parent, "*") for word in words if word.endswith(".hip")),
                            *((pathlib.Path(word), "**/*") for word in headers)]:
        if ROOT not in folder.parents or BUILD in folder.parents:
            return None
        found |= {path for path in folder.glob(pattern) if path.is_file()}
    return sorted(found)


def _kept_program(command, cwd=None, env=None):
    """Where the result of this command is kept, whatever its name. None for commands that are not one of sources of this repository to
    a file."""
    plugin = any(word.startswith("-fpass-plugin=") for word in command)
    if plugin or not _output(command) or not _parts(command) or not (written := _written(command)):
        return None
    prefix = pathlib.Path(command[0]).parent.parent
    pieces = pathlib.Path(os.environ.get("LANESCOPE_PIECES", prefix / "pieces"))
    ours = [*prefix.glob("bin/lanescope*"), *prefix.glob("lib*/**/liblanescope-pass-*.so"), *pieces.glob("liblanescope-pass-*.so")]
    words = [word for before, word in zip(["", *command], command) if before != "-o"]
    said = {k: v for k, v in (env or os.environ).items() if k.startswith(("LANESCOPE_", "HIP", "HCC_", "ROCM", "CPATH", "C_", "CPLUS"))}
    kind = (words, str(cwd or os.getcwd()), sorted(said.items()), shutil.which(command[_start(command) - 1]), _own_headers(command),
            [(str(path), path.stat().st_mtime_ns) for path in ours if _start(command) == 2], [(str(path), path.read_bytes()) for path in written])
    return _kept(kind, ".program")


def _compile(command, **kwargs):
    for way in ways(command):
        done = hangs.run(way, TIMEOUT, **kwargs)
        if done.returncode == 0:
            break
    return done


def run(command, **kwargs):
    """hangs.run of a compile command, in the first of its ways that works. What several tests compile in the same way is compiled once."""
    command = [str(word) for word in command]
    kept = _kept_program(command, kwargs.get("cwd"), kwargs.get("env"))
    if not kept:
        return _compile(command, **kwargs)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _locked(kept):
        output = pathlib.Path(kwargs.get("cwd") or ".") / _output(command)
        if kept.exists():
            shutil.copy(kept, output)
            return subprocess.CompletedProcess(command, 0, "", "")
        done = _compile(command, **kwargs)
        if done.returncode == 0 and not done.stdout + done.stderr and output.is_file():
            shutil.copy(output, kept.with_suffix(".partial"))
            kept.with_suffix(".partial").rename(kept)
    return done
