"""What goes wrong around a compile: the program gets its results, from the kernels with probes or the stock ones, and one line
says which when it is the latter. Triton 3.2.0 on the software GPU."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import test_wheels
import wheels

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = test_wheels.PROGRAMS / "elementwise.py"
OBSERVED = "3 kernels (3 instrumented)"


def start(cache, results, *front, **environment):
    """`lanescope run` of the program, under way."""
    command = [*front, test_wheels.STAGE / "bin/lanescope", "run", "--gpu", "soft:gfx90a", "-d", results, "-o", "run", "--",
               sys.executable, PROGRAM]
    env = {**test_wheels.environment("3.2.0", cache), **environment}
    return subprocess.Popen([str(c) for c in command], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def right(done, *told):
    """The results, and lines of ours beside the summary that hold these words, and no other."""
    code, out, err = done
    assert (code, out) == (0, "right\n"), err
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


@pytest.mark.parametrize("tool", ["opt", "ld.lld"])
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


def test_read_only_cache(tmp_path):
    """It holds the stock kernels, as one in an image of a container does."""
    cache = tmp_path / "cache"
    soft = next(test_wheels.STAGE.glob("lib*/**/liblanescope-softgpu.so"))
    python = next(test_wheels.STAGE.glob("lib*/**/python"))
    stock = {**test_wheels.environment("3.2.0", cache), "LD_PRELOAD": str(soft), "LANESCOPE_GPU": "soft:gfx90a"}
    plain = ("import sys; sys.path.append(sys.argv[1]); import lanescope_triton as l, runpy\n"
             "l.importing.after('triton.runtime.driver', l._driver)\nfrom lanescope_triton import pieces; pieces.help_triton()\n"
             "runpy.run_path(sys.argv[2], run_name='__main__')")  # the driver of the software GPU, but no probes
    done = test_wheels.call([sys.executable, "-c", plain, python, PROGRAM], stock)
    assert done.stdout == "right\n", done.stderr
    if os.geteuid():
        for folder in (cache, *cache.iterdir()):
            folder.chmod(0o555)
        front = []
    else:  # whom no permission stops
        front = ["unshare", "-m", "sh", "-c", f'mount --bind {cache} {cache} && mount -o remount,ro,bind {cache} && exec "$@"', "sh"]
        if subprocess.run([*front, "true"], capture_output=True).returncode:
            pytest.skip("root may write everywhere, and cannot mount here")
    before = sorted(cache.rglob("*"))
    text = right(finish(start(cache, tmp_path / "results", *front)), *["the stock kernel runs"] * 3)
    assert "3 kernels (0 instrumented)" in text and sorted(cache.rglob("*")) == before
    for folder in (cache, *cache.iterdir()):
        folder.chmod(0o755)


def test_remote_cache(tmp_path):
    """Our kernels come back from it for us, and only for us."""
    remote = dict(TRITON_CACHE_MANAGER="triton.runtime.cache:RemoteCacheManager", TRITON_REMOTE_CACHE_BACKEND="remote_cache:Backend",
                  REMOTE_CACHE=str(tmp_path / "remote"))
    remote["PYTHONPATH"] = os.pathsep.join([str(HERE), test_wheels.environment("3.2.0", "")["PYTHONPATH"]])
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "first", **remote)))
    kept = sorted((tmp_path / "remote").rglob("*"))
    assert kept
    shutil.rmtree(tmp_path / "cache")
    remote["LANESCOPE_LLVM_DIR"] = ""
    assert OBSERVED in right(finish(start(tmp_path / "cache", tmp_path / "second", **remote)))
    assert sorted((tmp_path / "remote").rglob("*")) == kept


def test_cold_runs(tmp_path):
    """None ends with a crash. LANESCOPE_COLD_RUNS says how many."""
    for i in range(int(os.environ.get("LANESCOPE_COLD_RUNS", "1"))):
        done = finish(start(tmp_path / "cache", tmp_path / "results"))
        assert OBSERVED in right(done), i
        print(f"{i + 1} without a crash", flush=True)
        shutil.rmtree(tmp_path / "cache")
        shutil.rmtree(tmp_path / "results")
