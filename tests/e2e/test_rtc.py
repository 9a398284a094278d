"""Kernels that a program compiles while it runs, by hiprtc (docs/rtc.md)."""

import os
import re
import shutil
import sqlite3
import sys
import time

import pytest

import hardware
import lines
import profiling
from profiling import Profile

sys.path.insert(0, str(profiling.SOURCE.parent.parent / "llvm-pass" / "tests"))
from codeobject import CodeObject  # noqa: E402

SOURCE = "rtc.cpp"
SECOND = ("--kernel-iteration-range", "[2]")


def environment(directory, **more):
    return profiling.clean_environment(XDG_CACHE_HOME=str(directory / "cache"), **more)


def observe(directory, program, mode, *options, env=None, **kwargs):
    return Profile(directory / "out", program, mode, directory / "seen.co", options=options,
                   env=env or environment(directory), **kwargs)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    out = tmp_path_factory.mktemp("rtc") / "rtc"
    return profiling.compile_hip(out, "-D__HIP_PLATFORM_AMD__", "-std=c++17", "-O1", SOURCE, "-lamdhip64", "-lpthread",
                                 plugin=False, compiler="clang++-22")


@pytest.fixture(scope="module")
def plain(program, tmp_path_factory):
    """What each mode prints, and the code that it compiles, without us."""
    directory, known = tmp_path_factory.mktemp("plain"), {}

    def get(mode):
        if mode not in known:
            known[mode] = profiling.run_plain(program, mode, directory / f"{mode}.co"), directory / f"{mode}.co"
        return known[mode]

    return get


def said(text):
    """Without the name of comgr's folder, which has a random part."""
    return re.sub(r"/tmp/comgr-\w+/", "/tmp/comgr/", text)


def warnings(done):
    """Our lines that stand before the summary."""
    return [line for line in done.stderr.splitlines() if "compiled at run time" in line]


def line_of(mark, start):
    """The line of a kernel's text, which begins in the line of `start`."""
    return profiling.marked_line(SOURCE, mark) - profiling.marked_line(SOURCE, start) + 1


def functions(path):
    """The machine code of each original kernel."""
    co = CodeObject(path)
    return {name: co.contents(name) for name in co.kernels if not name.startswith("__ls_")}


def same_original(plain_code, seen_code):
    before, after = functions(plain_code), functions(seen_code)
    assert before and all(before.values())
    assert before == after
    assert plain_code.read_bytes() != seen_code.read_bytes()


@pytest.mark.parametrize("mode", ["plain", "mark"])
def test_transpose(program, plain, tmp_path, mode):
    p = observe(tmp_path, program, mode, *SECOND)
    assert (p.done.returncode, p.done.stdout) == (0, f"{mode}: PASSED\n"), p.done.stderr
    assert (0, p.done.stdout) == (plain(mode)[0].returncode, plain(mode)[0].stdout)
    assert not warnings(p.done)
    # Lanes are 32 dwords apart, all in one bank: 31 conflicts for each half of 16 wavefronts.
    line = line_of("CONFLICTS", "char transpose[]")
    assert p.metric("lds_bank_conflicts", "Bank Conflict", "transpose", line, "load") == 31 * 2 * 16
    # 16 wavefronts store 64 floats each in a row: 4 lines of 64 bytes
    assert p.metric("memory_coalescing", "Cache Lines", "transpose", line, "store") == 16 * 4
    same_original(plain(mode)[1], tmp_path / "seen.co")


@pytest.mark.parametrize("mode", ["plain", "names"])
def test_numbers_are_those_of_the_log(program, tmp_path, mode):
    log = tmp_path / "log"
    p = observe(tmp_path, program, mode, *SECOND, "--access-log", log)
    assert p.done.returncode == 0, p.done.stderr
    report = lines.Report(p.database)
    code = hardware.Code((tmp_path / "seen.co").read_bytes(), tmp_path / "image")
    result = lines.Comparison(report, report, [code], skip=1).feed(log)
    assert not result.wrong
    assert (result.kernels, result.dispatches) == (1, 1)
    # the transpose's global load, LDS store, LDS load and global store, or one load and one store, by 16 wavefronts
    assert (result.counted, result.not_joined) == ({"plain": 64, "names": 32}[mode], 0)


def test_templates_headers_and_options(program, plain, tmp_path):
    p = observe(tmp_path, program, "names", *SECOND)
    assert (p.done.returncode, p.done.stdout) == (0, plain("names")[0].stdout), p.done.stderr
    same_original(plain("names")[1], tmp_path / "seen.co")
    line = line_of("SCALED", "char scaled[]")
    assert p.metric("memory_coalescing", "Executions", "%scaled%", line, "store") == 16


def test_text_of_the_source(program, tmp_path):
    p = observe(tmp_path, program, "plain", *SECOND)
    line = line_of("CONFLICTS", "char transpose[]")
    texts = [(path, text) for path, text in p.query("SELECT path, text FROM source_file") if text]
    assert len(texts) == 1 and texts[0][0].startswith(str(tmp_path / "cache"))
    text = texts[0][1] if isinstance(texts[0][1], str) else bytes(texts[0][1]).decode()
    assert "CONFLICTS" in text.split("\n")[line - 1]
    p = observe(tmp_path / "none", program, "plain", *SECOND, "--sources", "none", env=environment(tmp_path))
    assert not [text for text, in p.query("SELECT text FROM source_file") if text]


@pytest.mark.parametrize("mode", ["warning", "error"])
def test_log_of_the_compile(program, plain, tmp_path, mode):
    p = observe(tmp_path, program, mode)
    assert (p.done.returncode, said(p.done.stdout)) == (0, said(plain(mode)[0].stdout)), p.done.stderr
    assert {"error": "nonsense", "warning": "-Wuninitialized"}[mode] in p.done.stdout
    assert not warnings(p.done)
    if mode == "warning":
        same_original(plain(mode)[1], tmp_path / "seen.co")


def test_threads(program, plain, tmp_path):
    for attempt in range(3):  # HIP 5.2 itself dies of it now and then (docs/rtc.md)
        (tmp_path / str(attempt)).mkdir()
        p = observe(tmp_path / str(attempt), program, "threads")
        if p.done.returncode >= 0:
            break
    assert (p.done.returncode, p.done.stdout) == (0, "threads: PASSED\n"), p.done.stderr
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(24, 24)]
    # each text has a file of its own
    assert p.query("SELECT count(*) FROM source_file WHERE path LIKE '%/CompileSource'") == [(8,)]


def untouched(p, plain, tmp_path):
    assert (p.done.returncode, p.done.stdout) == (0, plain("plain")[0].stdout), p.done.stderr
    assert (tmp_path / "seen.co").read_bytes() == plain("plain")[1].read_bytes()
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(3, 0)]


def test_left_alone(program, plain, tmp_path):
    """--no-rtc: no hook, no folder, no cache moved."""
    p = observe(tmp_path, program, "plain", "--no-rtc")
    untouched(p, plain, tmp_path)
    assert not warnings(p.done) and not (tmp_path / "cache").exists()
    assert "do without --no-rtc" in p.done.stderr


def test_no_folder_for_sources(program, plain, tmp_path):
    (tmp_path / "cache").write_text("a file")
    p = observe(tmp_path, program, "plain")
    untouched(p, plain, tmp_path)
    assert len(warnings(p.done)) == 1 and "XDG_CACHE_HOME" in warnings(p.done)[0]


def test_full_disk(program, plain, tmp_path):
    """A cache on a file system that has no room for the texts."""
    place = tmp_path / "cache"
    place.mkdir()
    inside = ["unshare", "-m", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-c"]
    mounted = f"mount -t tmpfs -o size=4k none {place}"
    if profiling.call(*inside, mounted).returncode:
        pytest.skip("file systems cannot be mounted here")
    done = profiling.call(*inside, f'{mounted} && exec "$@"', "sh", profiling.LANESCOPE, "run", "--gpu", profiling.GPU, "-d", tmp_path, "--",
                          program, "plain", tmp_path / "seen.co", env=environment(tmp_path))
    assert (done.returncode, done.stdout) == (0, plain("plain")[0].stdout), done.stderr
    told = warnings(done)
    assert len(told) == 1 and "have no lines: No space left on device" in told[0], done.stderr
    with sqlite3.connect(next(tmp_path.glob("*/*_srclines.db"))) as db:
        assert db.execute("SELECT count(*), sum(observed) FROM dispatch").fetchall() == [(3, 3)]


def installation(directory, plugin):
    """Lanescope with another plugin for LLVM 15, or none."""
    stage = profiling.LANESCOPE.parent.parent
    (directory / "bin").mkdir(parents=True)
    shutil.copy(profiling.LANESCOPE, directory / "bin")
    pieces = next(stage.glob("lib*/**/liblanescope-preload.so")).parent
    target = directory / pieces.relative_to(stage)
    target.mkdir(parents=True)
    for piece in pieces.iterdir():
        if piece.name != "liblanescope-pass-15.so":
            os.symlink(piece, target / piece.name)
    if plugin:
        (target / "liblanescope-pass-15.so").write_bytes(plugin)
    return directory / "bin" / "lanescope"


@pytest.mark.parametrize("plugin, message", [(None, "LLVM 15, for which no plugin is installed"),
                                             (b"no library", "liblanescope-pass-15.so: ")])
def test_no_plugin(program, plain, tmp_path, monkeypatch, plugin, message):
    monkeypatch.setattr(profiling, "LANESCOPE", installation(tmp_path / "other", plugin))
    p = observe(tmp_path, program, "plain")
    untouched(p, plain, tmp_path)
    found = warnings(p.done)
    assert len(found) == 1 and message in found[0], p.done.stderr


def test_llvm_stays_where_it_is(tmp_path):
    """comgr's LLVM must not answer for the one inside another library, as Triton's code generator: that ends the program."""
    hip = profiling.call("sh", "-c", "ldconfig -p | sed -n 's,.*libamdhip64.so.*=> ,,p' | head -n 1").stdout.strip()
    program = profiling.SOURCE / "programs" / "rtc_scope.py"
    assert profiling.run_plain(sys.executable, program, hip).stdout == "plain local\n"
    p = Profile(tmp_path / "out", sys.executable, program, hip, env=environment(tmp_path))
    assert p.done.stdout == "clone local\n", p.done.stderr


def test_nothing_is_made_for_programs_that_compile_nothing(tmp_path):
    p = Profile(tmp_path / "out", profiling.EXAMPLES / "vector_add", env=environment(tmp_path))
    assert p.done.returncode == 0, p.done.stderr
    assert not (tmp_path / "cache").exists()


def aged(path, size, days):
    """A folder of a cache with `size` bytes that were last used so many days ago."""
    path.mkdir(parents=True)
    (path / "data").write_bytes(os.urandom(size))
    for p in (path / "data", path):
        os.utime(p, (time.time() - days * 86400,) * 2)
    return path


def test_caches_are_bounded(program, tmp_path):
    """Of three entries of 1 MiB beside what the run itself needs, two must go for 2 MiB: the oldest. What is not ours stays."""
    base = tmp_path / "cache" / "lanescope"
    text, old, older = (aged(base / name, 1 << 20, days) for name, days in
                        (("rtc/0123456789abcdef", 1), ("rtc-00000000000000aa", 2), ("rtc/00000000000000bb", 3)))
    foreign = aged(base / "rtc" / "notes", 1 << 20, 4), aged(base / "device-libs-22-00000000000000cc", 1 << 20, 4)
    Profile(tmp_path / "nothing", profiling.EXAMPLES / "vector_add", options=("--cache-size", "1K"), env=environment(tmp_path))
    assert all(p.exists() for p in (text, old, older))
    p = observe(tmp_path, program, "plain", "--cache-size", "2M")
    assert p.done.returncode == 0, p.done.stderr
    assert (text.exists(), old.exists(), older.exists()) == (True, False, False) and all(f.exists() for f in foreign)
    own = {p for p in base.glob("rtc*/**/*") if p.is_file()}
    p = observe(tmp_path / "again", program, "plain", "--cache-size", "0", env=environment(tmp_path))
    assert p.done.returncode == 0 and not text.exists()
    assert {p for p in base.glob("rtc*/**/*") if p.is_file()} == own - {text / "data"}, "what a run uses stays"


def test_caches(tmp_path):
    """Caches of the libraries above comgr are ours, and others when other code would come out."""
    caches = ("AMD_COMGR_CACHE_DIR", "CUPY_CACHE_DIR", "ROCFFT_RTC_CACHE_PATH", "ROCFFT_RTC_SYS_CACHE_PATH",
              "MIOPEN_CUSTOM_CACHE_DIR", "PYTORCH_KERNEL_CACHE_PATH")

    def variables(*options, **more):
        p = Profile(tmp_path / "out", "env", options=options, env=environment(tmp_path, AMD_COMGR_CACHE_DIR="/mine", **more))
        assert p.done.returncode == 0, p.done.stderr
        return dict(line.split("=", 1) for line in p.done.stdout.splitlines() if "=" in line)

    def seen(*options, **more):
        there = variables(*options, **more)
        return {name: there.get(name) for name in caches}

    ours = seen()
    assert all(path.startswith(str(tmp_path / "cache/lanescope/rtc-")) for path in ours.values())
    assert len(set(ours.values())) == len(caches)
    assert seen() == ours
    assert not set(seen(LANESCOPE_PROBE_BLOCKS="1").values()) & set(ours.values())
    assert seen("--no-rtc") == {**dict.fromkeys(caches), "AMD_COMGR_CACHE_DIR": "/mine"}
    # PyOpenCL's has no name of its own.
    assert variables()["PYOPENCL_NO_CACHE"] == "1" and "PYOPENCL_NO_CACHE" not in variables("--no-rtc")
