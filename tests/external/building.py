"""Compiles a program with its own makefile, the compiler in it replaced by hip-compiler."""

import json
import os
import pathlib
import re
import shlex
import subprocess

import processes

HERE = pathlib.Path(__file__).resolve().parent
# The names under which makefiles have their executable, and under which one runs it.
EXECUTABLE = ("program", "EXECUTABLE", "EXAMPLE", "EXE", "TARGET")
RUN_TARGETS = ("run", "test")
TOO_LONG = "takes too long"
COMPILERS = ("CC", "CXX", "HIPCC", "HIPCXX", "ROCM_CXX", "NVCC")
MAKE_WORDS = ("HIP_PATH=/usr", "ROCM_INSTALL_DIR=/usr", "ROCM_PATH=/usr", f"HIPCC_BIN={HERE}/bin", "LAUNCHER=")


class Compiler:
    """How programs are compiled: directly, or behind `lanescope` with its plugin."""

    def __init__(self, build, name, arch):
        self.lanescope = str(build / "stage" / "bin" / "lanescope")
        self.name, self.arch = name, arch
        self.plain = [] if os.path.basename(name).startswith("hipcc") else self._without_plugin()

    def _without_plugin(self):
        """What a new clang needs to work with an old ROCm is lanescope's knowledge: it is asked for its command."""
        words = [self.lanescope, self.name, "-x", "hip", f"--offload-arch={self.arch}", "-fsyntax-only", os.devnull]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LANESCOPE_VERBOSE": "1"})
        if done.returncode:
            raise SystemExit(f"{self.name} does not compile an empty HIP file:\n{done.stderr}")
        command = shlex.split(done.stderr.splitlines()[0])
        added = command[1 : command.index(f"--offload-arch={self.arch}")]
        for option in ("-fpass-plugin=", "-gline-tables-only"):
            at = next((i for i, word in enumerate(added) if word.startswith(option)), None)
            if at is not None:
                del added[at - 1 : at + 1]  # with the -Xarch_device before it
        return [word for i, word in enumerate(added) if not (word == "-x" or (i and added[i - 1] == "-x"))]

    def environment(self, profile):
        command = [self.lanescope, self.name] if profile else [self.name, *self.plain]
        return {"EXTERNAL_COMPILER": shlex.join([*command, f"--offload-arch={self.arch}"]),
                "HIP_ARCHITECTURES": self.arch}


def reason(output):
    """The first thing that a failed compilation complained of, in few words."""
    patterns = (
        (r"fatal error: '?([^\s':]+)'? file not found", "no header {}"),
        (r"(?:cannot find|unable to find library) (-l\S+)", "no library {}"),
        (r"([^\n]*undefined symbol[^\n]*)", "{}"),
        (r"\berror: ([^\n]*)", "{}"),
        (r"([^\n]*No rule to make target[^\n]*)", "{}"),
        (r"([^\n]*\*\*\*[^\n]*)", "{}"),
    )
    for pattern, words in patterns:
        found = re.search(pattern, output)
        if found:
            return words.format(found[1].strip())[:160]
    return output.strip().splitlines()[-1][:160] if output.strip() else "no message"


def _make(folder, makefile, *words, **kwargs):
    compiler = HERE / "hip-compiler"
    command = ["make", "-f", makefile, *(f"{v}={compiler}" for v in COMPILERS)]
    return processes.call([*command, *MAKE_WORDS, *words], folder, **kwargs)


def _facts(folder, makefile):
    """Variables and targets as make sees them."""
    output = _make(folder, makefile, "-npq").output
    variables = dict(re.findall(r"^(\w+) :?:?= ?(.*)$", output, re.MULTILINE))
    return variables, set(re.findall(r"^([^\s#:=%][^:=\n]*):(?!=)", output, re.MULTILINE))


def _single_file(folder, program, environment, seconds):
    """A program without makefile says what it needs in comments: `// flags: -lx` and `// needs: x/x.hpp`."""
    source = folder / os.path.basename(program.name)
    head = source.read_text(errors="replace")[:4096]
    flags = " ".join(re.findall(r"^// flags: (.*)$", head, re.MULTILINE))
    for header in re.findall(r"^// needs: (.*)$", head, re.MULTILINE):
        if not os.path.exists(f"/usr/include/{header}"):
            return f"needs {header}", None, "not run"
    executable = f"{source.stem}.program"
    words = [str(HERE / "hip-compiler"), "-O3", source.name, "-o", executable, *shlex.split(flags)]
    done = processes.call(words, folder, environment=environment, seconds=seconds)
    return ("", f"./{executable}", "") if done.status == 0 else (reason(done.output), None, "not compiled")


def _run_script(folder, makefile, variables, targets):
    """What `make run` would run, as a shell script."""
    for target in RUN_TARGETS:
        if target not in targets:
            continue
        script = _make(folder, makefile, "-s", "-n", "--no-print-directory", target).output
        if "make" in script.split() or "Entering directory" in script:
            return f"make -s -f {makefile} LAUNCHER= {target}"
        if script.strip():
            return script
    made = [variables[v] for v in EXECUTABLE if variables.get(v) and os.access(folder / variables[v], os.X_OK)]
    made += [f for f in sorted(os.listdir(folder)) if processes.is_executable(folder / f)]
    return f"./{os.path.basename(made[0])}" if made else None


def _record(folder, program):
    return folder / f"external-build-{os.path.basename(program.name)}.json"


def earlier(folder, program, environment):
    """What build() returned when it was last called with these arguments; None if it was not, or ran out of time."""
    try:
        record = json.loads(_record(folder, program).read_text())
    except FileNotFoundError:
        return None
    return tuple(record["result"]) if record["environment"] == environment and record["ended"] else None


def build(folder, program, environment, seconds):
    """Compiles in `folder`; returns (reason of failure, shell script that runs the program, verdict of failure)."""
    result = _build(folder, program, environment, seconds)
    record = {"environment": environment, "result": result, "ended": result[0] != TOO_LONG}
    _record(folder, program).write_text(json.dumps(record))
    return result


def _build(folder, program, environment, seconds):
    if not program.makefile:
        return _single_file(folder, program, environment, seconds)
    variables, targets = _facts(folder, program.makefile)
    goal = next((variables[v] for v in EXECUTABLE if variables.get(v) in targets), None)
    done = _make(folder, program.makefile, *([goal] if goal else []), environment=environment, seconds=seconds)
    (folder / "external-build.log").write_text(done.output)
    if done.status != 0:
        return TOO_LONG if done.late else reason(done.output), None, "not compiled"
    script = _run_script(folder, program.makefile, variables, targets)
    return ("", script, "") if script else ("the makefile makes no program", None, "not compiled")
