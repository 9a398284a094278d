"""hiprtc above a comgr that holds its LLVM inside itself, as AMD's packages have it: a clang outside generates the code
(docs/rtc.md). The comgr here is Debian's without its entry for LLVM's library, which is preloaded instead."""

import pathlib
import struct

import pytest

import hardware
import lines
import profiling
import test_rtc
from test_rtc import SECOND, environment, functions, line_of, plain, program, said, same_original, untouched  # noqa: F401

HEADER, DYNAMIC, NEEDED, DEBUG = 64, 6, 1, 21  # sizes and numbers of ELF
OUTSIDE = "clang-22, and differs from this ROCm's comgr"


def without_llvm(content):
    """The library's bytes with that entry made meaningless, and its name."""
    content = bytearray(content)
    start, = struct.unpack_from("<Q", content, 40)
    count, = struct.unpack_from("<H", content, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", content, start + HEADER * i) for i in range(count)]
    dynamic = next(s for s in sections if s[1] == DYNAMIC)
    strings = sections[dynamic[6]][4]
    for at in range(dynamic[4], dynamic[4] + dynamic[5], 16):
        tag, value = struct.unpack_from("<QQ", content, at)
        name = bytes(content[strings + value:content.index(b"\0", strings + value)]).decode() if tag == NEEDED else ""
        if name.startswith("libLLVM"):
            struct.pack_into("<Q", content, at, DEBUG)
            return content, name
    pytest.skip("this comgr has no LLVM outside of itself")


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    """Variables of the environment that make programs take that comgr."""
    found = profiling.call("sh", "-c", "ldconfig -p | sed -n 's,.*libamd_comgr.so.2 .*=> ,,p' | head -n 1").stdout.strip()
    if not found:
        pytest.skip("comgr 2 is not installed")
    folder = tmp_path_factory.mktemp("static")
    content, llvm = without_llvm(pathlib.Path(found).read_bytes())
    (folder / "libamd_comgr.so.2").write_bytes(content)
    return {"LD_LIBRARY_PATH": str(folder), "LD_PRELOAD": llvm}


def warnings(done):
    """Our lines that stand before the summary."""
    return [line for line in done.stderr.splitlines() if line.startswith("lanescope: warning: ")]


def observe(directory, program, static, mode, *options, **more):
    env = environment(directory, TMPDIR=str(directory), **static, **more)
    p = test_rtc.observe(directory, program, mode, *options, env=env)
    assert not list(directory.glob("lanescope-??????")), "clang's files stay behind"
    return p


@pytest.mark.parametrize("mode", ["plain", "names"])
def test_the_same_llvm_makes_the_same_code(program, plain, static, tmp_path, mode):  # noqa: F811
    log = tmp_path / "log"
    p = observe(tmp_path, program, static, mode, *SECOND, "--access-log", log, LANESCOPE_LLVM_DIR="/usr/lib/llvm-15")
    assert (p.done.returncode, p.done.stdout) == (0, plain(mode)[0].stdout), p.done.stderr
    assert not warnings(p.done)
    same_original(plain(mode)[1], tmp_path / "seen.co")
    report = lines.Report(p.database)
    code = hardware.Code((tmp_path / "seen.co").read_bytes(), tmp_path / "image")
    result = lines.Comparison(report, report, [code], skip=1).feed(log)
    # as in test_rtc.py
    assert not result.wrong and (result.counted, result.not_joined) == ({"plain": 64, "names": 32}[mode], 0)


def test_another_llvm_says_so(program, plain, static, tmp_path):  # noqa: F811
    p = observe(tmp_path, program, static, "plain", *SECOND)
    assert (p.done.returncode, p.done.stdout) == (0, plain("plain")[0].stdout), p.done.stderr
    found = warnings(p.done)
    assert len(found) == 1 and OUTSIDE in found[0], p.done.stderr
    # as in test_rtc.py
    line = line_of("CONFLICTS", "char transpose[]")
    assert p.metric("lds_bank_conflicts", "Bank Conflict", "transpose", line, "load") == 31 * 2 * 16


@pytest.mark.parametrize("mode", ["warning", "error"])
def test_messages(program, plain, static, tmp_path, mode):  # noqa: F811
    p = observe(tmp_path, program, static, mode, LANESCOPE_LLVM_DIR="/usr/lib/llvm-15")
    told = said(p.done.stdout.replace(str(tmp_path), "/tmp"))
    assert (p.done.returncode, told) == (0, said(plain(mode)[0].stdout)), p.done.stderr
    assert not warnings(p.done)


def test_threads(program, static, tmp_path):  # noqa: F811
    for attempt in range(3):  # HIP 5.2 itself dies of it now and then (docs/rtc.md)
        (tmp_path / str(attempt)).mkdir()
        p = observe(tmp_path / str(attempt), program, static, "threads", LANESCOPE_LLVM_DIR="/usr/lib/llvm-15")
        if p.done.returncode >= 0:
            break
    assert (p.done.returncode, p.done.stdout) == (0, "threads: PASSED\n"), p.done.stderr
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(24, 24)]


def clang(folder, script):
    """A folder with a clang that does this before it does what clang-22 does."""
    folder.mkdir()
    (folder / "clang").write_text(f'#!/bin/sh\n{script}\nexec clang-22 "$@"\n')
    (folder / "clang").chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("name, script, words", [
    ("fails", 'for a; do [ ! -s "$a" ] || case $a in *.bc) echo "error: no such thing" >&2; exit 1;; esac; done',
     ["failed: error: no such thing", "refuses to compile them with the plugin"]),
    ("writes nothing", 'for a; do [ ! -s "$a" ] || case $a in *.bc) exit 0;; esac; done', ["refuses to compile them with the plugin"]),
])
def test_clang_fails(program, plain, static, tmp_path, name, script, words):  # noqa: F811
    folder = clang(tmp_path / "llvm", script)
    p = observe(tmp_path, program, static, "plain", LANESCOPE_LLVM_DIR=folder)
    assert (p.done.returncode, p.done.stdout) == (0, plain("plain")[0].stdout), p.done.stderr
    assert functions(tmp_path / "seen.co") == functions(plain("plain")[1])
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(3, 0)]
    found = warnings(p.done)
    assert len(found) == len(words) and all(word in line for word, line in zip(words, found)), p.done.stderr


def test_no_clang(program, plain, static, tmp_path, monkeypatch):  # noqa: F811
    """No plugin is installed for any."""
    place = test_rtc.installation(tmp_path / "other", None)
    for piece in place.parent.parent.glob("lib*/**/liblanescope-pass-*.so"):
        piece.unlink()
    monkeypatch.setattr(profiling, "LANESCOPE", place)
    p = observe(tmp_path, program, static, "plain")
    untouched(p, plain, tmp_path)
    found = warnings(p.done)
    assert len(found) == 1 and "install clang-22" in found[0] and "LANESCOPE_LLVM_DIR" in found[0], p.done.stderr


def test_ignored_children(program, plain, static, tmp_path):  # noqa: F811
    """Nobody learns how clang ended when SIGCHLD is ignored: its object file is what counts."""
    script = tmp_path / "ignoring"
    script.write_text(f'#!/bin/sh\ntrap "" CHLD\nexec {program} "$@"\n')
    script.chmod(0o755)
    p = observe(tmp_path, script, static, "plain", LANESCOPE_LLVM_DIR="/usr/lib/llvm-15")
    assert (p.done.returncode, p.done.stdout) == (0, plain("plain")[0].stdout), p.done.stderr
    assert p.query("SELECT count(*), sum(observed) FROM dispatch") == [(3, 3)]
