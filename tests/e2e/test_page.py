"""report --html of a real recording: what the page shows of hip-examples/transpose, in a headless browser where there is one.

The matrix has 128 x 128 floats, one per lane: 256 wavefronts, in 16 work-groups. Lanes of transpose_lds that read a column of the tile are
32 dwords apart, all in one bank of 32: 32 cycles for each half of a wavefront instead of 1, 62 too many; 256 x 62 = 15,872."""

import json
import re
import shutil
import sys
import tempfile

import pytest

import profiling
from profiling import LANESCOPE, Profile

sys.path.insert(0, str(profiling.SOURCE.parent.parent / "cli" / "tests"))
import browser  # noqa: E402

COLUMN = profiling.EXAMPLE_SOURCES / "transpose" / "transpose.hip"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    p = Profile(folder, profiling.EXAMPLES / "transpose", options=("--handlers", "lds_bank_conflicts,memory_coalescing,advice,wave_timeline"))
    assert p.done.returncode == 0, p.done.stderr
    done = profiling.call(LANESCOPE, "report", "--html", folder / "page.html", p.database)
    assert done.returncode == 0, done.stderr
    text = (folder / "page.html").read_text()
    data = json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text, re.S)[1])
    assert data == json.loads(profiling.call(LANESCOPE, "report", "--json", p.database).stdout)
    return folder / "page.html", data


def read_of_column():
    lines = COLUMN.read_text().splitlines()
    return 1 + next(i for i, text in enumerate(lines) if "tile[threadIdx.x][threadIdx.y]" in text)


def test_the_json_has_source_and_machine_code(page):
    kernel = page[1]["kernels"][0]
    assert kernel["name"].startswith("transpose_lds(")
    worst = kernel["lines"][0]
    assert (worst["line"], worst["excess"], worst["active_lanes"]) == (read_of_column(), 15872, 64)
    file = next(f for f in page[1]["files"] if f["path"] == worst["file"])
    assert file["text"] == COLUMN.read_text()
    counted = {i["text"].split()[0]: i["counted_line"] for i in kernel["instructions"] if i["joined"]}
    assert counted["ds_read_b32"] == counted["global_store_dword"] == read_of_column()
    assert counted["ds_write_b32"] == counted["global_load_dword"] != read_of_column()
    offsets = [i["offset"] for i in kernel["instructions"]]
    assert offsets == sorted(offsets)


@pytest.mark.skipif(bool(browser.missing()), reason=str(browser.missing()))
def test_the_page_shows_it(page):
    profile = tempfile.mkdtemp(prefix="lanescope-browser-")
    b = browser.Browser(profile)
    try:
        b.open(str(page[0]))
        shown = b.js("return [...document.querySelectorAll(\"#source tr[data-row='%d'] > *\")].map(e => e.textContent)" % (read_of_column() - 1))
        assert shown[1:5] == ["100 %", "512", "64.00", "15,872"], shown  # executions: 256 in LDS, 256 in global memory
        assert "tile[32][33]" in b.js("return document.querySelector('#line .advice').textContent")
        marked = b.js("return [...document.querySelectorAll('#code tr.here td.text')].map(e => e.textContent.split(' ')[0])")
        assert marked == ["ds_read_b32", "global_store_dword"], marked
        b.press("3")
        assert b.js("return document.querySelectorAll('svg.timeline rect').length") == 256
        assert b.log("browser") == []
    finally:
        b.close()
        shutil.rmtree(profile, True)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The example compiled without Lanescope, and observed by its instructions; the same observed by probes; the page of each, and of both."""
    folder = tmp_path_factory.mktemp("plain")
    done = profiling.call("hipcc", "-g", "-O3", "--offload-arch=gfx90a", COLUMN, "-o", folder / "plain")
    assert done.returncode == 0, done.stderr
    alone = Profile(folder / "alone", folder / "plain", options=("--uninstrumented", "isa"))
    probes = Profile(folder / "probes", profiling.EXAMPLES / "transpose")
    for name, databases in (("alone", [alone.database]), ("both", [alone.database, probes.database])):
        done = profiling.call(LANESCOPE, "report", "--html", folder / f"{name}.html", *databases)
        assert done.returncode == 0, done.stderr
    return folder


def texts(b, selector):
    return b.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)


@pytest.mark.skipif(bool(browser.missing()), reason=str(browser.missing()))
def test_kernels_without_probes(plain):
    """They are not called unobserved, their instructions stand at the machine code, and rows of both kinds can be told apart."""
    profile = tempfile.mkdtemp(prefix="lanescope-browser-")
    b = browser.Browser(profile)
    try:
        b.open(str(plain / "alone.html"))
        assert texts(b, "#kernels tr.blind") == []
        assert not any("not instrumented" in text for text in texts(b, "#kernels td.place"))
        facts = texts(b, "#kernel-facts")[0]
        assert facts.endswith("compiled without Lanescope: each machine instruction is a row"), facts
        # Each instruction of the kernel once: it reads and writes global memory, and writes and reads the tile.
        shown = [text.split()[0] for text in texts(b, "#code td.text")]
        assert sorted(shown) == ["ds_read_b32", "ds_write_b32", "global_load_dword", "global_store_dword"]
        assert len(texts(b, "#code tr.here")) == 2  # of the chosen line: the read of a column, and the store
        assert any(re.match(r"0x[0-9a-f]+: ds_read_b32 ", text) for text in texts(b, "#line-body .isa"))
        b.open(str(plain / "both.html"))
        assert texts(b, "#kernel-facts")[0].endswith("there each machine instruction is a row")
        b.js("[...document.querySelectorAll('[role=tab]')].find(e => e.textContent === 'Tables').click()")
        rows = [text for text in texts(b, ".panels th[scope=row]") if "LDS load" in text]
        assert len(rows) == 2 and sum("ds_read_b32" in text for text in rows) == 1, rows
        assert b.log("browser") == []
    finally:
        b.close()
        shutil.rmtree(profile, ignore_errors=True)
