"""What a compiler was asked once is not asked again, as long as the answer holds; and what cannot be kept costs nothing but time."""

import os
import re
import time

import pytest

import profiling

PLUGINS = sorted(int(re.search(r"(\d+)\.so$", p.name)[1]) for p in profiling.BUILD.glob("stage/lib*/**/liblanescope-pass-*.so"))
# Says what it would do, like clang, and compiles nothing; the version is what stands in the file "clang". It notes each start.
HIPCC = """#!/bin/sh
here={here}
for word; do case $word in
    -###) echo "ask $LANESCOPE_SYSTEM_FOLDERS" >> $here/starts
        echo "clang version $(cat $here/clang).1.0" >&2
        echo " \\"$here/clang\\" \\"-cc1\\" \\"-internal-isystem\\" \\"/usr/include\\" \\"a.hip\\"" >&2
        exit 0;;
    --version) echo version >> $here/starts; echo "clang version $(cat $here/clang).1.0"; exit 0;;
esac; done
echo "run $LANESCOPE_SYSTEM_FOLDERS $*" >> $here/starts
"""


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Compiler:
    """A stand-in for hipcc, and a cache of its own."""

    def __init__(self, folder, name="hipcc"):
        self.folder, self.name, self.clang = folder, name, folder / "clang"
        self.clang.write_text(f"{PLUGINS[0]}")
        write_program(folder / "bin" / name, HIPCC.format(here=folder))
        (folder / "a.hip").write_text("")
        (folder / "a.o").write_text("")
        (folder / "oclc_abi_version_600.bc").write_text("")  # device libraries that a new clang needs nothing beside

    def run(self, *words, launcher=(), **env):
        """How it was started: "ask", "version", "run"; and the last start's folders and words."""
        (self.folder / "starts").write_text("")
        env = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.folder / "cache"),
               "HIP_DEVICE_LIB_PATH": str(self.folder), **env}
        words = words or ("--offload-arch=gfx90a", "-c", "a.hip")
        done = profiling.call(profiling.LANESCOPE, *launcher, self.name, *words, cwd=self.folder, env=profiling.clean_environment(**env))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), words
        starts = (self.folder / "starts").read_text().splitlines()
        self.last = starts[-1]
        return [line.split()[0] for line in starts]

    def entries(self):
        return [p for p in (self.folder / "cache").rglob("*") if p.is_file()]

    def has_plugin(self, major):
        return f"liblanescope-pass-{major}.so" in self.last


@pytest.fixture
def compiler(tmp_path):
    return Compiler(tmp_path)


ASKED, KNOWN = ["ask", "run"], ["run"]


def test_one_start_for_each_compilation(compiler):
    assert compiler.run() == ASKED
    assert len(compiler.entries()) == 1
    for words in ((), ("--offload-arch=gfx90a", "-O0", "a.hip"), ("--offload-arch=gfx90a", "-fgpu-rdc", "-c", "a.hip"), ("a.o", "-o", "a")):
        assert compiler.run(*words) == KNOWN, words
    for env in ({"PWD": "/tmp"}, {"MAKEFLAGS": "-j"}, {"LANESCOPE_PROBE_BLOCKS": "true"}):
        assert compiler.run(**env) == KNOWN, env
    assert compiler.run() == KNOWN and compiler.has_plugin(PLUGINS[0])
    assert len(compiler.entries()) == 1


def test_links_do_with_what_is_known(compiler):
    """A link command tells no compiler proper, so its answer is not kept."""
    for _ in range(2):
        assert compiler.run("a.o", "-o", "a") == ["version", "run"]
    assert not compiler.entries()


@pytest.mark.skipif(len(PLUGINS) < 2, reason="plugins for two versions of LLVM are needed")
def test_replaced_clang(compiler):
    compiler.run()
    before = compiler.clang.stat()
    compiler.clang.write_text(f"{PLUGINS[1]}")
    os.utime(compiler.clang, ns=(before.st_atime_ns, before.st_mtime_ns))  # of the same size and age
    assert compiler.run() == ASKED and compiler.has_plugin(PLUGINS[1])
    assert compiler.run() == KNOWN and compiler.has_plugin(PLUGINS[1])


def change_hipcc(compiler):
    write_program(compiler.folder / "bin/hipcc", HIPCC.format(here=compiler.folder) + "\n")


def change_part(compiler):
    (compiler.folder / "bin/hipvars.pm").write_text("")


def change_path(compiler):
    write_program(compiler.folder / "bin/clang++", "")


def change_link(compiler):
    compiler.clang.rename(compiler.folder / "other")
    (compiler.folder / "clang").symlink_to("other")
    (compiler.folder / "other").touch()


@pytest.mark.parametrize("change", [change_hipcc, change_part, change_path, change_link])
def test_changes_are_noticed(change, compiler):
    compiler.run()
    time.sleep(0.01)
    change(compiler)
    assert compiler.run() == ASKED
    assert compiler.run() == KNOWN


@pytest.mark.parametrize("variable", ["HIP_CLANG_PATH", "ROCM_PATH", "HIPCC_COMPILE_FLAGS_APPEND", "LD_LIBRARY_PATH"])
def test_environment_is_noticed(variable, compiler):
    compiler.run()
    assert compiler.run(**{variable: str(compiler.folder)}) == ASKED
    assert compiler.run(**{variable: str(compiler.folder)}) == KNOWN
    assert compiler.run() == ASKED
    assert len(compiler.entries()) == 1


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[:-1], lambda b: b[:9], lambda b: b + b"\n", lambda b: b"\xff\0" * 4000,
                                    lambda b: b"99" + b[2:], lambda b: b.replace(b"/clang", b"/clank"), lambda b: b"15 /bin/true\n",
                                    lambda b: b"-1 " + b[3:], lambda b: b.replace(b"\n", b" ")])
def test_damaged_entries_are_asked_anew(damage, compiler):
    compiler.run()
    entry, = compiler.entries()
    good = entry.read_bytes()
    entry.write_bytes(damage(good))
    assert compiler.run() == ASKED and compiler.has_plugin(PLUGINS[0])
    assert entry.read_bytes() == good
    assert compiler.run() == KNOWN


def test_entries_that_are_no_files(compiler):
    compiler.run()
    entry, = compiler.entries()
    entry.unlink()
    entry.mkdir()
    assert compiler.run() == compiler.run() == ASKED  # nothing can take the folder's place, and nothing is left of it
    assert not compiler.entries()
    entry.rmdir()
    os.mkfifo(entry)
    assert compiler.run() == ASKED
    assert compiler.run() == KNOWN


@pytest.mark.parametrize("env", [{"XDG_CACHE_HOME": "/dev/null"}, {"XDG_CACHE_HOME": "/proc/none"}, {"XDG_CACHE_HOME": "", "HOME": "/none"}])
def test_without_a_cache(env, compiler):
    for _ in range(2):
        assert compiler.run(**env) == ASKED and compiler.has_plugin(PLUGINS[0])


@pytest.mark.parametrize("words", ["--cuda-device-only -c a.hip", "--genco a.hip -o a.co", "-save-temps -c a.hip", "--save-temps=obj -c a.hip",
                                   "-fgpu-rdc a.hip -o a", "-x hip-cpp-output -c a.hip"])
def test_folders_where_the_plugin_sees_none(words, compiler):
    """Where no compiler proper reads the source with the plugin, or it has no command of its own, the environment tells the folders."""
    for _ in range(2):
        assert compiler.run("--offload-arch=gfx90a", *words.split()) == ASKED
        assert compiler.last.split()[1] == "/usr/include"


@pytest.mark.parametrize("env", [{"HIPCC_COMPILE_FLAGS_APPEND": "-O1 -save-temps"}, {"CCACHE_NOCPP2": "1"}, {"CCC_OVERRIDE_OPTIONS": "+-v"}])
def test_environments_that_hide_folders(env, compiler):
    for _ in range(2):
        assert compiler.run(**env) == ASKED and compiler.last.split()[1] == "/usr/include"


@pytest.mark.parametrize(("launcher", "starts"), [("distcc", ASKED), ("nice", KNOWN)])
def test_launchers(launcher, starts, compiler):
    write_program(compiler.folder / "bin" / launcher, '#!/bin/sh\nexec "$@"\n')
    compiler.run()
    assert compiler.run(launcher=[launcher]) == starts


def test_scripts_and_launchers_under_a_compilers_name(tmp_path):
    """What they start may be another compiler each time."""
    script = Compiler(tmp_path, "clang++")
    assert script.run() == script.run() == ASKED
    write_program(tmp_path / "bin/ccache", (tmp_path / "bin/clang++").read_text())
    (tmp_path / "bin/hipcc").symlink_to("ccache")
    script.name = "hipcc"
    assert script.run() == script.run() == ASKED
    assert not script.entries()
