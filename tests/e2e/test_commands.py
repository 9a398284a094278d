"""Every command line that documents, manual pages and helps show: it is run here, or by the test that is named, or not, for the
reason that is said."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

import profiling

ROOT = profiling.SOURCE.parents[1]
BIN = profiling.LANESCOPE.parent
VERBS = re.findall(r"(?m)^  ([a-z]+) +\S", profiling.call(profiling.LANESCOPE, "--help").stdout.split("\n\n")[2])

# ---- where the command lines are ----

COMMAND = r'(?:[A-Z]+=(?:"[^"]*"|\S*) ?)*(?:lanescope(?!:)|lanescope-mcp|mpirun|srun|cmake|make|ninja|cpack|pip|man|cc|source|\./quickstart|sqlite3|rocpd|rocminfo' \
          r"|sudo|\(cd|cd|ls|mkdir|git|apt-get|sed|for(?= \w+ in .*; do))\b(?! ?[:(])"


def in_markdown(text):
    """Behind `$`, in blocks of a shell and in steps of recipes; in blocks of nothing else also where a line begins with a program."""
    language, lines = None, []
    for line in text.splitlines():
        fence = re.match(r"```(\w*)", line)
        if fence:
            language = None if language is not None else fence[1]
        elif language == "sh" or re.match(r"    +\$ ", line):
            lines.append(re.sub(r"^ *(\$ )?", "", line))
        elif (language == "yaml" or (language is None and line.startswith("    "))) and re.match(COMMAND, line.strip().removeprefix("- ")):
            lines.append(line.strip().removeprefix("- "))
        elif lines and lines[-1].count('"') % 2:  # SQL goes on
            lines[-1] += " " + line.strip()
    return lines


def in_manual(text):
    example = text.split(".SH EXAMPLES", 1)[1].split(".fi", 1)[0] if ".SH EXAMPLES" in text else ""
    return in_markdown("\n".join("    " + line.replace("\\-", "-") for line in example.splitlines()))


def in_help(text):
    examples = re.split(r"(?m)^(?:Examples?|Start):$", text)[1:]
    return [re.sub(r"   +\S.*$", "", line.strip()) for part in examples for line in part.splitlines() if line.startswith("  lanescope ")]


def documents():
    """Name: its command lines, in order."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    pages += [ROOT / folder / "README.md" for folder in ("hip-examples", "triton-examples", "examples/handlers", "python", "python/mcp", "packaging")]
    found = {str(page.relative_to(ROOT)): in_markdown(page.read_text()) for page in pages if "internals" not in page.parts}
    found.update({str(page.relative_to(ROOT)): in_manual(page.read_text()) for page in ROOT.glob("man/*.roff")})
    for verb in VERBS + [""]:
        found[f"lanescope {verb} --help".replace("  ", " ")] = in_help(profiling.call(profiling.LANESCOPE, *verb.split(), "--help").stdout)
    return {name: lines for name, lines in sorted(found.items()) if lines}


DOCUMENTS = documents()

# ---- what is not run here ----

# Beginning of a document's name, and of a command: the test that runs it, and a text in it that shows so. Two of them need root and a
# mirror: tests/bare-root/run, by hand, and packaging/tests/deb, `ctest -C packages -L packages`.
ELSEWHERE = [
    ("README.md", "./quickstart", "tests/bare-root/run", "./quickstart"),
    ("README.md", "man ", "man/check.py", '"-l"'),
    ("README.md", "", "tests/e2e/test_docs.py", '"README.md", "docs/tutorial.md"'),
    ("docs/tutorial.md", "", "tests/e2e/test_docs.py", '"README.md", "docs/tutorial.md"'),
    ("docs/ci.md", "", "tests/e2e/test_gate.py", '"docs" / "ci.md"'),
    ("docs/building.md", "cmake -S . -B build -G Ninja -DLLVM_DIR", "llvm-pass/tests/CMakeLists.txt", "pass_llvm_dir"),
    ("docs/building.md", 'CXX="lanescope hipcc" cmake', "packaging/tests/test_packaging.py", '"CXX": f"{launcher} hipcc"'),
    ("docs/building.md", "cmake -DCMAKE_CXX_COMPILER=hipcc", "packaging/tests/test_packaging.py", "-DCMAKE_CXX_COMPILER_LAUNCHER="),
    ("docs/building.md", "cmake -DCMAKE_HIP_COMPILER_LAUNCHER", "packaging/tests/test_packaging.py", "-DCMAKE_HIP_COMPILER_LAUNCHER="),
    ("docs/handlers.md", "cc ", "examples/tests/run.sh", "pkg-config --cflags lanescope-handler"),
    ("examples/handlers/", "c", "examples/tests/run.sh", "pkg-config --cflags lanescope-handler"),
    ("docs/selftest.md", "lanescope selftest", "tests/e2e/test_selftest.py", '"--compare"'),
    ("lanescope selftest --help", "", "tests/e2e/test_selftest.py", '"--compare"'),
    ("docs/triton.md", "", "triton-plugin/tests/test_wheels.py", '"run"'),
    ("triton-examples/", "", "triton-plugin/tests/test_examples.py", "layernorm"),
    ("python/mcp/", "", "python/mcp/tests/test_server.py", "--no-profile"),
    ("packaging/", "(cd build && cpack -G TGZ)", "packaging/tests/test_packaging.py", '"TGZ"'),
    ("packaging/", "", "packaging/tests/deb", "cpack"),
]
# No test runs these.
NEVER = [
    ("README.md", "./quickstart triton", "it fetches 250 MB; triton-plugin/tests/test_examples.py runs what it runs then"),
    ("docs/ci.md", "apt-get", "it changes the machine; packaging/tests/deb installs the same in a bare root"),
    ("docs/mpi.md", "srun", "there is no Slurm"),
    ("docs/convert.md", "rocpd convert", "AMD's importer is in no package; cli/tests/rocpd_rules.py has its rules"),
]
# How a command ends that does not end with 0.
ENDS = {"lanescope run -o notes.db -- ./app": 2}


def fate(name, command):
    """(where it is run else, reason why it is not run)"""
    for page, beginning, reason in NEVER:
        if name.startswith(page) and command.startswith(beginning):
            return None, reason
    for page, beginning, test, text in ELSEWHERE:
        if name.startswith(page) and command.startswith(beginning):
            return test, None
    for program in ("mpirun", "ccache", "sqlite3"):
        if re.search(rf"\b{program}\b", command) and not shutil.which(program):
            return None, f"{program} is not installed"
    return None, None


def is_shown(page, beginning):
    return any(name.startswith(page) and any(c.startswith(beginning) for c in commands) for name, commands in DOCUMENTS.items())


@pytest.mark.parametrize("page, beginning, test, text", ELSEWHERE)
def test_what_others_run(page, beginning, test, text):
    assert text in (ROOT / test).read_text(), f"{test} has no {text}"
    assert is_shown(page, beginning)


def test_a_step_that_quickstart_does_not_know():
    done = subprocess.run([ROOT / "quickstart", "dmeo"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("quickstart: unknown step 'dmeo'\nUsage: "), done


@pytest.mark.parametrize("page, beginning, reason", NEVER)
def test_what_nobody_runs(page, beginning, reason):
    assert is_shown(page, beginning)


# ---- the folder in which a reader types ----

OLD = """
#include <hip/hip_runtime.h>
#include <stdio.h>
#include "{file}"
int main() {{
    float *p;
    if (hipMalloc((void **)&p, 65536) != hipSuccess) return 1;
    {kernel}<<<1, 64>>>(p);
    return hipDeviceSynchronize() != hipSuccess;
}}
"""
KERNEL = "__global__ void {name}(float *p) {{ p[threadIdx.x * {stride}] = threadIdx.x; }}\n"
FLAMEGRAPH = "#!/bin/sh\n# what flame graph tools read: names, a blank, a number\ngrep -Ec '^.+ [0-9]+$'\n"


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.env = profiling.clean_environment(PATH=f"{BIN}:{folder / 'bin'}:{os.environ['PATH']}", COLUMNS="100",
                                               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                               OMPI_MCA_rmaps_base_oversubscribe="1", PAGER="cat", HOME=str(folder))

    def type(self, command, code=0):
        done = profiling.call("bash", "-c", command, cwd=self.folder, env=self.env)
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done

    def compile(self, program):
        done = profiling.compiled(profiling.LANESCOPE, "hipcc", "-g", "-O3", "--offload-arch=gfx90a", f"{program}.hip", "-o", program,
                                  cwd=self.folder, env=self.env)
        assert done.returncode == 0, done.stderr

    def recording(self, name, program):
        self.type(f"lanescope run --no-summary -o {name} -- ./{program}")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Sources and programs under the names that documents use, and recordings of a transposition, before and after the fix."""
    folder = tmp_path_factory.mktemp("prepared") / "here"
    shutil.copytree(ROOT / "hip-examples" / "common", folder.parent / "common")
    folder.mkdir()
    for name in ("transpose", "reduction", "vector_add"):
        shutil.copy(ROOT / "hip-examples" / name / f"{name}.hip", folder)
    shutil.copy(folder / "transpose.hip", folder / "app.hip")
    (folder / "Makefile").write_text("made: app.hip\n\t$(CXX) -O3 app.hip -o made\n")
    (folder / "bin").mkdir()
    (folder / "bin/flamegraph.pl").write_text(FLAMEGRAPH)
    (folder / "bin/flamegraph.pl").chmod(0o755)
    (folder / "notes.db").write_text("notes")
    r = Reader(folder)
    for program in ("app", "transpose", "reduction", "vector_add"):
        r.compile(program)
    for program in ("program", "random", "last_block"):
        shutil.copy(folder / "app", folder / program)
    (folder / "build").mkdir()
    r.type(f"cc -shared -fPIC -I{ROOT}/include {ROOT}/examples/handlers/template.c -o build/template.so && cp build/template.so my_handler.so")
    for when, kernel, file, stride in (("before", "old_kernel", "copy.hpp", 4), ("after", "new_kernel", "tiles.hpp", 1)):
        (folder / file).write_text(KERNEL.format(name=kernel, stride=stride))
        (folder / f"{when}.hip").write_text(OLD.format(file=file, kernel=kernel))
        r.compile(when)
        r.recording(f"{when}-copy.db", when)
    r.recording("a.db", "transpose")
    r.type("lanescope merge a.db before-copy.db -o before.db && lanescope merge a.db after-copy.db -o after.db")
    for name in ("before", "after", "baseline", "new", "sample", "transpose", "rank0", "node1/1234"):
        r.recording(name, "transpose")  # each one of its own, as a recording must not be given twice
    for name in ("app", "r"):
        r.recording(name, "app")
    for name in ("r", "base", "found", "app"):
        shutil.copy(folder / "a.db", folder / f"{name}.db")
    return folder


HERE = [name for name, commands in DOCUMENTS.items() if any(fate(name, c) == (None, None) for c in commands)]


@pytest.mark.parametrize("name", HERE)
def test_shown_commands(name, prepared, tmp_path):
    shutil.copytree(prepared.parent / "common", tmp_path / "common")
    folder = shutil.copytree(prepared, tmp_path / "here", symlinks=True)
    reader, ran = Reader(folder), 0
    for command in DOCUMENTS[name]:
        if fate(name, command) != (None, None):
            continue
        if command.startswith("cd "):  # all sources lie in the one folder
            continue
        process = next((f.name.split("_")[0] for f in folder.glob("rocpd/*_results.db")), "4711")
        reader.type(command.replace("4711", process), ENDS.get(command, 0))
        ran += 1
    assert ran


# ---- commands in a sentence ----


def in_sentences():
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("man/*.roff")]:
        for command in re.findall(r"`lanescope ([^`]*)`", page.read_text()):
            yield str(page.relative_to(ROOT)), command


def test_commands_in_sentences():
    """Verbs and options that a sentence names are those that there are."""
    checked = 0
    for page, command in in_sentences():
        words = shlex.split(command.replace("\\-", "-"))
        words = words[:words.index("--")] if "--" in words else words
        if words[0] not in VERBS:
            assert re.fullmatch(r"-.*|COMPILER|VERB|.*(?:cc|clang\+\+.*|ccache|gfortran)", words[0]), f"{page}: lanescope {command}"
            continue
        helped = profiling.call(profiling.LANESCOPE, words[0], "--help").stdout
        for option in (w.split("=")[0] for w in words[1:] if w.startswith("-")):
            assert re.search(rf"(?m)^ +(?:-\w, )?{re.escape(option)}\b|^ +{re.escape(option)},", helped) or (words[0], option) == ("help", "--manual"), \
                f"{page}: lanescope {command}"
        checked += 1
    assert checked > 40
