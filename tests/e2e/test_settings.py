"""One grammar per type of setting: the same words to every reader, and each says the same of them.

Readers: an option of `run`, a variable that `run` reads, the configuration file, the tool library and the software GPU when no
`run` started the program, and for --gpu the Triton plugin. What the words mean as numbers, settings/tests/test_table.c tells.
"""

import importlib
import json
import shutil
import sqlite3
import sys

import pytest

import profiling

TOOL, SOFT = "the tool library", "the software GPU"
BOOLEAN = ("true false yes no on off 1 0 YES Off".split(), ["2", "y", "tru", "true ", " 1", "enabled"])
NUMBER = (["0", "8"], ["-1", "+1", "1.0", "0x1", "1 ", "many", "99999999999999999999"])
# key of the configuration file, option that takes a value, variable, who reads it without `run`, (accepted, refused)
SETTINGS = [
    ("gpu", "gpu", "LANESCOPE_GPU", SOFT, (["soft", "soft:gfx90a", "soft:gfx90ax2"],
                                           ["soft:", "soft:gfx1", "soft:gfx90ax0", "soft:gfx90ax9", "Soft", "software", "gfx90a", "soft "])),
    ("selected_regions", None, "LANESCOPE_SELECTED_REGIONS", TOOL, BOOLEAN),
    ("summary_mode", None, "LANESCOPE_SUMMARY_MODE", TOOL, BOOLEAN),
    ("soft_exact_matrix", None, "LANESCOPE_SOFT_EXACT_MATRIX", SOFT, BOOLEAN),
    ("soft_stall_stop", None, "LANESCOPE_SOFT_STALL_STOP", SOFT, BOOLEAN),
    ("decode_threads", "decode-threads", "LANESCOPE_DECODE_THREADS", TOOL, NUMBER),
    ("finish_timeout", "finish-timeout", "LANESCOPE_FINISH_TIMEOUT", TOOL, NUMBER),
    ("soft_threads", "soft-threads", "LANESCOPE_SOFT_THREADS", SOFT, NUMBER),
    ("soft_stall", "soft-stall", "LANESCOPE_SOFT_STALL", SOFT, NUMBER),
    ("soft_poison", None, "LANESCOPE_SOFT_POISON", SOFT, (["0", "7", "yes", "off"], ["-1", "seven", "7 "])),
    ("soft_memory", "soft-memory", "LANESCOPE_SOFT_MEMORY", SOFT, (["strong", "weak", "weak:3"], ["weak:", "weak:0", "Weak", "weak:x", "1"])),
    ("ring_size", "ring-size", "LANESCOPE_RING_BYTES", TOOL,
     (["64m", "64M", "1g", "8K", "67108864"], ["64MB", "64 M", "0", "1T", "m", "1.5M", "-1", "65G"])),
    ("chunk_size", "chunk-size", "LANESCOPE_CHUNK_BYTES", TOOL, (["1k", "4096", "64K"], ["3000", "512", "128K", "4KB", "0"])),
    ("sample_waves", "sample-waves", "LANESCOPE_SAMPLE_WAVES", TOOL, (["1/4", "4", "1"], ["2/4", "0", "1/0", "1/", "/4", "25%", "0.25"])),
    ("on_full", "on-full", "LANESCOPE_ON_FULL", TOOL, (["wait", "drop"], ["Wait", "wait,drop", "block", "0"])),
    ("sources", "sources", "LANESCOPE_SOURCES", TOOL, (["shared", "all", "none"], ["some", "true", "All"])),
    ("check", None, "LANESCOPE_SOFT_CHECK", SOFT, (["races", "uninit,races", "yes", "no"], ["race", "races,", ",races", "races uninit"])),
    ("kernel_include_regex", "kernel-include-regex", "LANESCOPE_KERNELS", TOOL, (["a|b", "^x.*$", "[a-z]+"], ["((", "[", "*", "a{0,32767}"])),
    ("kernel_iteration_range", "kernel-iteration-range", "LANESCOPE_DISPATCHES", TOOL,
     (["[1-2],[5-8]", "3", "1-2,5"], ["0", "2-1", "[1-2", "1-", "1,,2", "a"])),
    ("blocks", "blocks", "LANESCOPE_BLOCKS", TOOL, (["0:4", "0:4,2", ",,1:", "7"], ["4:0", "1:1", "a", "0:1,0:1,0:1,0:1", "-1"])),
    ("as", "as", "LANESCOPE_AS", TOOL, (["gfx950,gfx90a", "gfx942"], ["gfx1", "gfx942,", "soft:gfx942", "gfx942,gfx942"])),
]
CASES = [(*row[:4], word, known) for row in SETTINGS for known, words in ((True, row[4][0]), (False, row[4][1])) for word in words]


def refused(done):
    return "is not accepted" in done.stderr


def by_run(folder, *options, **variables):
    """Whether `run` refuses it: before the program starts, with an exit code of its own."""
    gpu = [] if "LANESCOPE_GPU" in variables or options[:1] == ("--gpu",) or "LANESCOPE_CONFIG" in variables else ["--gpu", "soft"]
    done = profiling.call(profiling.LANESCOPE, "run", *gpu, "-d", folder, *options, "--", "true", env=profiling.clean_environment(**variables))
    assert done.returncode == (2 if refused(done) else 0), done.stderr
    return refused(done)


def without_run(folder, reader, variable, word):
    """What the library says that ROCr loads, or that is loaded before it."""
    of = {name: next((profiling.BUILD / "stage").glob(f"lib*/**/liblanescope-{name}.so")) for name in ("hsa", "softgpu")}
    options = {"LANESCOPE_OUTPUT": str(folder / "x.db"), "HSA_TOOLS_LIB": str(of["hsa"])} if reader == TOOL else {}
    done = profiling.call("rocminfo", env=profiling.clean_environment(
        **{"LD_PRELOAD": str(of["softgpu"]), "LANESCOPE_GPU": "soft", **options, variable: word}))
    assert refused(done) or done.returncode == 0, done.stderr
    return refused(done)


@pytest.mark.skipif(not shutil.which("rocminfo"), reason="no rocminfo")
@pytest.mark.parametrize("key, option, variable, reader, word, known", CASES, ids=[f"{c[0]}={c[4]}" for c in CASES])
def test_all_readers_agree(key, option, variable, reader, word, known, tmp_path):
    file = tmp_path / "config"
    file.write_text(json.dumps({"gpu": "soft", key: word}))
    said = {
        "variable": by_run(tmp_path, **{variable: word}),
        "file": by_run(tmp_path, LANESCOPE_CONFIG=str(file)),
        reader: without_run(tmp_path, reader, variable, word),
    }
    if option:
        said["option"] = by_run(tmp_path, f"--{option}", word)
    assert set(said.values()) == {not known}, said


def test_triton_reads_the_same_gpu(monkeypatch):
    """The Triton plugin asks only whether it is a software GPU: of all words that the others accept it must say the same."""
    sys.path.insert(0, str(profiling.SOURCE.parent.parent / "triton-plugin"))
    drivers = importlib.import_module("lanescope_triton.drivers")
    for word, soft in (("soft", True), ("soft:gfx90a", True), ("soft:gfx90ax2", True), ("auto", False), ("hw", False), ("", False)):
        monkeypatch.setenv("LANESCOPE_GPU", word)
        assert drivers.software_gpu() is soft, word


@pytest.mark.skipif(not shutil.which("rocminfo"), reason="no rocminfo")
def test_what_is_recorded_has_one_form(tmp_path):
    """Without `run` in between the variable is as the user wrote it; who reads the recording knows no grammar."""
    assert not without_run(tmp_path, TOOL, "LANESCOPE_SAMPLE_WAVES", "1/4")
    (options,) = sqlite3.connect(tmp_path / "x.db").execute("SELECT options FROM process").fetchone()
    assert json.loads(options)["sample_waves"] == "4"
    assert "only 1 of 4 wavefronts reported" in profiling.call(profiling.LANESCOPE, "report", tmp_path / "x.db").stdout
