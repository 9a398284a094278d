"""Compilers that are here, and how the tests call them: always through the verb, and once without the plugin."""
import os
import re
import shlex
import shutil
import subprocess
import sys

VERB = os.environ["LANESCOPE_COMPILE"]  # the program that stands for `lanescope`
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "e2e"))
import precompiled  # noqa: E402

PIECES = os.environ["LANESCOPE_PIECES"]
WORK = os.environ["LANESCOPE_TEST_DIR"]
SOURCES = os.path.dirname(os.path.abspath(__file__))
os.makedirs(WORK, exist_ok=True)


def run(command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=WORK, **more)
    return p.returncode, p.stdout


def clangs():
    """Majors for which there are both a plugin and a clang++."""
    have = [int(m.group(1)) for m in (re.fullmatch(r"liblanescope-pass-(\d+)\.so", f) for f in os.listdir(PIECES)) if m]
    return sorted(m for m in have if shutil.which(f"clang++-{m}"))


def compiler(major):
    # Debian's /usr/bin/clang++-15 finds another version's lld.
    inner = f"/usr/lib/llvm-{major}/bin/clang++"
    return inner if os.path.exists(inner) else f"clang++-{major}"


def plugin(major):
    return f"{PIECES}/liblanescope-pass-{major}.so"


def archs(major):
    """What this clang and the installed device libraries can build: an old clang has no gfx942."""
    return ["gfx90a"] if major < 17 else ["gfx90a", "gfx942"]


def old_rocm(major):
    """clang before 17 gets nothing added by the verb and needs to be told where Debian has the libraries."""
    libs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
    if major < 17 and not os.path.exists("/opt/rocm") and os.path.exists(libs):
        return ["--rocm-path=/usr", f"--rocm-device-lib-path={libs}"]
    return []


def command_of(major, source, out, *flags):
    return [VERB, compiler(major), "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", *old_rocm(major), *flags,
            os.path.join(SOURCES, source), "-o", out]


def compile_device(major, source, out, *flags, **environment):
    """Device code object of one source, through the verb. Returns its path."""
    out = os.path.join(WORK, out)
    command = command_of(major, source, out, *flags)
    done = precompiled.run(command, cwd=WORK, env=dict(os.environ, **environment))
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    return out


def compile_changed(command, change):
    """Runs what the verb says that it runs, as `change` makes it of its words."""
    for way in precompiled.ways(command):
        text = run(way + ["-###"], env=dict(os.environ, LANESCOPE_VERBOSE="1"))[1]
        way = change([a for a in shlex.split(text.splitlines()[0]) if a != "-###"])
        code, text = run(way)
        if not code:
            return
    sys.exit(f"{shlex.join(way)}\n{text}")


def _without_plugin(line):
    i = next(i for i, a in enumerate(line) if a.startswith("-fpass-plugin="))
    assert line[i - 1] == "-Xarch_device"
    return line[: i - 1] + line[i + 1 :]


def compile_plain(major, source, out, *flags):
    """The same command without the plugin."""
    out = os.path.join(WORK, out)
    compile_changed(command_of(major, source, out, *flags), _without_plugin)
    return out


def tool(major, name):
    inner = f"/usr/lib/llvm-{major}/bin/{name}"
    return inner if os.path.exists(inner) else f"{name}-{major}"


def expectations(source, major):
    """{kernel: words} of the comments `expect:` before the kernels of textual IR; `expect 22:` is for that version of LLVM alone."""
    found = re.findall(r"^; expect: (.*)\n((?:;.*\n)*)define amdgpu_kernel void @(\w+)\(", open(source).read(), re.M)
    own = {kernel: re.search(rf"^; expect {major}: (.*)$", comment, re.M) for _, comment, kernel in found}
    return {kernel: (own[kernel][1] if own[kernel] else words).split() for words, _, kernel in found}
