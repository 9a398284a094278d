"""What goes wrong around a compile: the program gets its results, from the kernels with probes or the stock ones, and one line
says which when it is the latter. On the software GPU, Triton 3.2.0 unless a test says more."""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest

import test_wheels
import wheels

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = test_wheels.PROGRAMS / "elementwise.py"
OBSERVED = "3 kernels (3 instrumented)"
more = pytest.mark.skipif(not os.environ.get("LANESCOPE_TEST_ALL"), reason="LANESCOPE_TEST_ALL=1 asks for it")


def start(cache, results, *front, version="3.2.0", program=PROGRAM, **environment):
    """`lanescope run` of the program, under way."""
    command = [*front, test_wheels.STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", results, "-o", "run", "--",
               sys.executable, program]
    env = {**test_wheels.environment(version, cache), **environment}
    return subprocess.Popen([str(c) for c in command], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def right(done, *told, out="right\n"):
    """The results, and lines of ours beside the summary that hold these words, and no other."""
    code, said, err = done
    assert (code, said) == (0, out), err
    lines = [line for line in err.splitlines() if line.startswith("lanescope: Triton")]
    assert len(lines) == len(told) and all(word in line for word, line in zip(told, lines)), err
    assert "Traceback" not in err
    return err


def test_several_processes_at_once(tmp_path):
    """Four with one cold cache: each compiles or finds, nobody sees half a kernel."""
    running = [start(tmp_path / "cache", tmp_path / str(i)) for i in range(4)]
    for process in running:
        assert OBSERVED in right(finish(process))
    assert not list((tmp_path / "cache").glob("*/tmp.*"))


@pytest.mark.parametrize("tool", ["opt", pytest.param("ld.lld", marks=more)])
def test_killed_while_it_compiles(tmp_path, tool):
    """The program is killed while a tool works for it; the next run finds no broken kernel. Tools are the same both times."""
    folder, victim = tmp_path / "llvm", tmp_path / "victim"
    folder.mkdir()
    real = subprocess.run([sys.executable, "-c", f"from lanescope_triton import pieces; print(pieces.tool({tool!r}))"], text=True,
                          env={**os.environ, "PYTHONPATH": str(next(test_wheels.STAGE.glob("lib*/**/python")))}, capture_output=True)
    (folder / tool).write_text(f'#!/bin/sh\n[ ! -e {victim} ] || {{ kill -KILL $PPID; exit 1; }}\nexec {real.stdout.strip()} "$@"\n')
    (folder / tool).chmod(0o755)
    victim.touch()
    code, out, _ = finish(start(tmp_path / "cache", tmp_path / "first", LANESCOPE_LLVM_DIR=str(folder)))
    assert code and out == ""
    victim.unlink()
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "second", LANESCOPE_LLVM_DIR=str(folder))))


def stock(cache, program):
    """Runs the program with the driver for the software GPU, but no probes."""
    soft = next(test_wheels.STAGE.glob("lib*/**/liblanescope-softgpu.so"))
    python = next(test_wheels.STAGE.glob("lib*/**/python"))
    env = {**test_wheels.environment("3.2.0", cache), "LD_PRELOAD": str(soft), "LANESCOPE_GPU": "soft:gfx90a"}
    plain = ("import sys; sys.path.append(sys.argv[1]); import lanescope_triton as l, runpy\n"
             "l.importing.after('triton.runtime.driver', l._driver)\nfrom lanescope_triton import pieces; pieces.help_triton()\n"
             "runpy.run_path(sys.argv[2], run_name='__main__')")
    done = test_wheels.call([sys.executable, "-c", plain, python, program], env)
    assert done.returncode == 0, done.stderr


def test_python_without_our_hook(tmp_path):
    """Under -I, -E and -S Python asks nothing of PYTHONPATH, or does not look for us there: stock kernels run, and it is said why."""
    python = next(test_wheels.STAGE.glob("lib*/**/python"))
    env = test_wheels.environment("3.2.0", tmp_path / "cache")
    program = tmp_path / "program.py"
    program.write_text(f"""
import runpy, sys
sys.path[:0] = {env.pop("PYTHONPATH").split(os.pathsep)!r}
sys.path.append({str(python)!r})
import lanescope_triton.pieces
lanescope_triton.importing.after("triton.runtime.driver", lanescope_triton._driver)
lanescope_triton.pieces.help_triton()
runpy.run_path({str(PROGRAM)!r}, run_name="__main__")
""")
    done = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", tmp_path, "-o", "run", "--",
                             sys.executable, "-I", program], env)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert "3 kernels (0 instrumented)" in done.stderr and "Python's options -I, -E and -S" in done.stderr, done.stderr
    assert "lanescope hipcc" not in done.stderr


def test_read_only_cache(tmp_path):
    """It holds the stock kernels, as one in an image of a container does."""
    cache = tmp_path / "cache"
    stock(cache, PROGRAM)
    if os.geteuid():
        for folder in (cache, *cache.iterdir()):
            folder.chmod(0o555)
        front = []
    else:  # whom no permission stops
        front = ["unshare", "-m", "sh", "-c", f'mount --bind {cache} {cache} && mount -o remount,ro,bind {cache} && exec "$@"', "sh"]
        if subprocess.run([*front, "true"], capture_output=True).returncode:
            pytest.skip("root may write everywhere, and cannot mount here")
    before = sorted(cache.rglob("*"))
    text = right(finish(start(cache, tmp_path / "results", *front)), "Read-only file system" if not os.geteuid() else "Permission denied")
    assert "3 kernels (0 instrumented)" in text and sorted(cache.rglob("*")) == before
    for folder in (cache, *cache.iterdir()):
        folder.chmod(0o755)


@more
def test_opt_of_another_version(tmp_path):
    """One line, for all three kernels."""
    other = next((p for p in map(shutil.which, ["opt-19", "opt-15", "opt-14"]) if p), None)
    if not other:
        pytest.skip("no other LLVM is installed")
    (tmp_path / "opt").symlink_to(other)
    text = right(finish(start(tmp_path / "cache", tmp_path / "results", LANESCOPE_LLVM_DIR=str(tmp_path))), "the stock kernel runs")
    assert "3 kernels (0 instrumented)" in text and str(tmp_path / "opt") in text and "lanescope hipcc" not in text
    with sqlite3.connect(f"file:{tmp_path / 'results/run_srclines.db'}?mode=ro", uri=True) as db:
        notes = [note for note, in db.execute("SELECT text FROM note") if "the stock kernel runs" in note]
    assert len(notes) == 1 and notes[0] in text


def test_no_path_and_no_home(tmp_path):
    """Our tools are found where packages put them. Triton's launchers, for which it needs a C compiler, are in the cache already."""
    cache = tmp_path / "cache"
    assert OBSERVED in right(finish(start(cache, tmp_path / "first")))
    for code in cache.glob("*/*.hsaco"):
        shutil.rmtree(code.parent)
    front = ["/usr/bin/env", "-u", "HOME", "PATH="]
    assert OBSERVED in right(finish(start(cache, tmp_path / "second", *front)))
    assert len(list(cache.glob("*/*.hsaco"))) == 3


@pytest.mark.parametrize("version", wheels.versions())
def test_only_binaries_are_kept(version, tmp_path):
    """TRITON_STORE_BINARY_ONLY (3.3 and newer): texts are not in the cache, and the second run compiles nothing."""
    keep = dict(version=version, TRITON_STORE_BINARY_ONLY="1")
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "first", **keep)))
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*")}
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "second", **keep)))
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*")} == before
    assert version.startswith("3.2") or not list((tmp_path / "cache").rglob("*.llir"))


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_damaged_cache(tmp_path):
    """What a disk lost of our three kernels is compiled again, and is whole for the third run."""
    cache = tmp_path / "cache"
    assert OBSERVED in right(finish(start(cache, tmp_path / "first")))
    for code, (suffix, damage) in zip(cache.glob("*/*.hsaco"), [("hsaco", cut), ("json", cut), ("hsaco", pathlib.Path.unlink)]):
        damage(code.with_suffix(f".{suffix}"))
    assert OBSERVED in right(finish(start(cache, tmp_path / "second")))
    before = {p: p.stat().st_mtime_ns for p in cache.rglob("*")}
    assert OBSERVED in right(finish(start(cache, tmp_path / "third")))
    assert {p: p.stat().st_mtime_ns for p in cache.rglob("*")} == before


def pages(folder):
    return sum(-(-p.stat().st_size // 4096) for p in folder.rglob("*") if p.is_file())


def test_full_disk(tmp_path):
    """One that has room for the stock kernel, but not for ours, which leaves no part of itself there."""
    place, program = tmp_path / "disk", tmp_path / "program.py"
    place.mkdir()
    program.write_text(test_wheels.TWO.format("* 2"))
    inside = ["unshare", "-m", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-c"]
    if subprocess.run([*inside, f"mount -t tmpfs -o size=64k none {place}"], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    stock(tmp_path / "stock", program)
    assert "(1 instrumented)" in right(finish(start(tmp_path / "ours", tmp_path / "first", program=program)), out="")
    need, ours = pages(tmp_path / "stock"), pages(tmp_path / "ours")
    size = need + 12  # of which folders take some
    assert size + 8 < ours, "another kernel is needed"
    front = [*inside, f'mount -t tmpfs -o size={size * 4}k none {place} && "$@"; code=$?; find {place} > {tmp_path}/left; exit $code', "sh"]
    done = finish(start(place / "cache", tmp_path / "results", *front, program=program))
    text = right(done, "No space left on device; the stock kernel runs", out="")
    assert "(0 instrumented)" in text and "/tmp." not in (tmp_path / "left").read_text()


@more
def test_nearly_full_disk(tmp_path):
    """One that has room for all that the program keeps there without us, and for the first kernel of ours, but not for both."""
    place = tmp_path / "disk"
    place.mkdir()
    inside = ["unshare", "-m", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-c"]
    if subprocess.run([*inside, f"mount -t tmpfs -o size=64k none {place}"], capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    stock(tmp_path / "stock", PROGRAM)
    need = pages(tmp_path / "stock")
    front = [*inside, f'mount -t tmpfs -o size={need * 4 + 64}k none {place} && exec "$@"', "sh"]
    code, out, err = finish(start(place / "cache", tmp_path / "results", *front))
    assert (code, out) == (0, "right\n"), err
    lines = [line for line in err.splitlines() if line.startswith("lanescope: Triton")]
    assert len(lines) <= 1 and all("No space left on device; the stock kernel runs" in line for line in lines), err


@pytest.mark.parametrize("version", wheels.versions())
def test_remote_cache(version, tmp_path):
    """Our kernels come back from it for us, and only for us."""
    remote = dict(TRITON_CACHE_MANAGER="triton.runtime.cache:RemoteCacheManager", TRITON_REMOTE_CACHE_BACKEND="remote_cache:Backend",
                  REMOTE_CACHE=str(tmp_path / "remote"))
    remote["PYTHONPATH"] = os.pathsep.join([str(HERE), test_wheels.environment(version, "")["PYTHONPATH"]])
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "first", version=version, **remote)))
    kept = sorted((tmp_path / "remote").rglob("*"))
    assert kept
    shutil.rmtree(tmp_path / "cache")
    remote["LANESCOPE_LLVM_DIR"] = ""
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "second", version=version, **remote)))
    assert sorted((tmp_path / "remote").rglob("*")) == kept


THREADS = """
import _ctypes, sys, threading
import triton.runtime.driver
from lanescope_triton import hip

find = hip.triton_driver()._find_already_mmapped_dylib_on_linux
library = find("libc.so") or find("libc-")
done = threading.Event()


def load():
    while not done.is_set():
        _ctypes.dlclose(_ctypes.dlopen("libanl.so.1", 2))


threading.Thread(target=load).start()
print({find("libc.so") or find("libc-") for _ in range(20)} == {library}, find("no library"))
done.set()
"""


def test_threads_that_load_libraries(tmp_path):
    """While another one asks for HIP, as Triton does when a driver is made: none waits for ever."""
    env = test_wheels.environment("3.2.0", tmp_path, [next(test_wheels.STAGE.glob("lib*/**/python"))])
    done = test_wheels.call([sys.executable, "-c", THREADS], {**env, "LANESCOPE_GPU": "soft:gfx90a"})
    assert (done.returncode, done.stdout) == (0, "True None\n"), done.stderr


@pytest.mark.parametrize("version", wheels.versions())
def test_cold_runs(version, tmp_path):
    """None ends with a crash. LANESCOPE_COLD_RUNS says how many."""
    for i in range(int(os.environ.get("LANESCOPE_COLD_RUNS", "1"))):
        done = finish(start(tmp_path / "cache", tmp_path / "results", version=version))
        assert OBSERVED in right(done), i
        print(f"{i + 1} without a crash", flush=True)
        shutil.rmtree(tmp_path / "cache")
        shutil.rmtree(tmp_path / "results")
