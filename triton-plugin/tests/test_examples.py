"""What the READMEs of triton-examples say of Triton 3.2 on gfx90a, and of gluon_transpose with newer ones, where
LANESCOPE_TRITON_VERSIONS names some; the arithmetic stands there."""

import json
import os
import pathlib
import sqlite3

import pytest

import test_wheels
import wheels

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "triton-examples"
METRICS = ("Executions", "Active Lanes", "Cache Lines", "Cache Lines Needed")


def profile(name, folder):
    """A function that sums a metric over the accesses of one kind to global memory on the line that holds `text`."""
    program = EXAMPLES / name / f"{name}.py"
    done = test_wheels.run(folder / "cache", folder, program=program)
    assert done.returncode == 0 and "FAILED" not in done.stdout and "PASSED" in done.stdout, done.stdout + done.stderr

    def values(text, kernel="%", kind="load"):
        line = next(i for i, t in enumerate(program.read_text().splitlines(), 1) if text in t)
        with sqlite3.connect(f"file:{folder / 'run_srclines.db'}?mode=ro", uri=True) as db:
            rows = dict(db.execute("""SELECT metric, sum(value) FROM line_view WHERE line = ? AND kind = ? AND space = 'global'
                                      AND kernel LIKE ? AND file LIKE ? GROUP BY 1""", (line, kind, kernel, f"%/{name}.py")))
        return tuple(rows.get(m) for m in METRICS)

    return values


def test_vector_add(tmp_path):
    values = profile("vector_add", tmp_path)
    assert values("tl.load(x") == values("tl.load(y") == values("tl.store(", kind="store") == (16, 1000, 250, 250)


def test_strided(tmp_path):
    values = profile("strided", tmp_path)
    assert values("tl.load(", "%STRIDE=16%") == (16, 1024, 1024, 64)
    assert values("tl.load(", "%STRIDE=1,%") == (16, 1024, 64, 64)
    assert values("tl.store(", kind="store") == (32, 2048, 128, 128)  # both kernels


def test_softmax(tmp_path):
    values = profile("softmax", tmp_path)
    assert values("tl.load(")[:2] == values("tl.store(", kind="store")[:2] == (104, 8 * 781)


def test_layernorm(tmp_path):
    """1000 columns: a row of w, 4000 bytes from a cache line's start, lies in 63 lines, which each of the four loads of a
    wavefront touches again, and 250 lanes of each of these need 4 lines in 4 wavefronts; 8 rows."""
    values = profile("layernorm", tmp_path)
    assert values("tl.load(x", "%columns=i32:16,%") == values("tl.load(w", "%columns=i32:16,%") == (32, 8 * 256, 512, 512)
    assert values("tl.load(w", "%columns=i32,%") == (4 * 32, 8 * 1000, 8 * 63 * 4, 8 * 16 * 4)


def advice(database, *options):
    """The sentences of the report, by the line's number and the kind of access."""
    told = json.loads(test_wheels.call([test_wheels.STAGE / "bin/lanescope", "report", "--json", *options, database],
                                       dict(os.environ)).stdout)
    return {(row["line"], row["access"]): row["advice"] for k in told["kernels"] for table in k["tables"] for row in table["rows"]
            if row["address_space"] == "global"}


def test_advice_on_divisibility(tmp_path):
    """What layernorm's report promises of 1000 columns comes true by what it says: 4 divides them."""
    profile("layernorm", tmp_path)
    source = (EXAMPLES / "layernorm" / "layernorm.py").read_text()
    row = "    row = tl.program_id(0) * columns"
    load = next(i for i, t in enumerate(source.splitlines(), 1) if "tl.load(w" in t)
    said = advice(tmp_path / "run_srclines.db", "--kernel", "columns=i32,")[load, "load"]
    assert len(said) == 1 and "4 pieces: columns may not be divisible by 16" in said[0], said
    assert said[0].endswith(f"2,016 -> {8 * 63} cache lines")  # a row of 4000 bytes from a line's start, eight times
    assert advice(tmp_path / "run_srclines.db", "--kernel", "columns=i32:16")[load, "load"] == []
    explained = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "explain", tmp_path / "run_srclines.db"], dict(os.environ)).stdout
    assert "use n // 4 * 4 for n): Cache Lines 2,016 -> 504" in " ".join(explained.split()), explained

    told, results = tmp_path / "layernorm.py", tmp_path / "told"
    told.write_text(source.replace(row, "    columns = columns // 4 * 4\n" + row))
    done = test_wheels.run(tmp_path / "cache", results, program=told)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr
    with sqlite3.connect(f"file:{results / 'run_srclines.db'}?mode=ro", uri=True) as db:
        assert db.execute("""SELECT sum(value) FROM line_view WHERE line = ? AND kind = 'load' AND space = 'global' AND
                             metric = 'Cache Lines' AND kernel LIKE '%columns=i32,%'""", (load + 1,)).fetchone()[0] == 8 * 63


def test_specialisations_stand_alone(tmp_path):
    """Kernels of one function have one symbol and different names; each was launched once."""
    profile("layernorm", tmp_path)
    database = tmp_path / "run_srclines.db"

    def call(*options):
        return test_wheels.call([test_wheels.STAGE / "bin/lanescope", *options, database], dict(os.environ))

    def kernels(*options):
        told = json.loads(call("report", "--json", *options).stdout)
        return {k["name"].split("columns=")[1].split(",")[0]: k["dispatches"]["count"] for k in told["kernels"]}

    assert kernels() == kernels("--kernel", "num_warps=4, num_stages=2") == {"i32:16": 1, "i32": 1}
    assert kernels("--kernel", "columns=i32,") == {"i32": 1}
    assert call("report", "--kernel", "num_warps=8").returncode != 0
    told = call("diff", database)
    assert told.returncode == 0 and " is worse than before" in told.stdout, told.stdout + told.stderr


def test_matmul(tmp_path):
    values = profile("matmul", tmp_path)
    assert values("tl.load(a")[2:] == values("tl.load(b")[2:] == (256, 256)


def test_shared_memory_of_matmul(tmp_path):
    """Both operands of the dot go through shared memory, on the lines that load them; Triton swizzles a, whose rows lanes read."""
    profile("matmul", tmp_path)
    text = (EXAMPLES / "matmul" / "matmul.py").read_text().splitlines()
    a, b, dot = (next(i for i, t in enumerate(text, 1) if word in t) for word in ("tl.load(a", "tl.load(b", "tl.dot("))
    done = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "report", "--json", tmp_path / "run_srclines.db"], dict(os.environ))
    rows = [row for table in json.loads(done.stdout)["kernels"][0]["tables"] for row in table["rows"]]
    said = {(row["line"], row["access"]): row["compiler"] for row in rows if row["address_space"] == "LDS"}
    assert set(said) == {(line, kind) for line in (a, b) for kind in ("load", "store")}
    for (line, _), words in said.items():
        assert words.startswith(f"shared memory for tl.dot at line {dot}: {'swizzled (vec 4,' if line == a else 'not swizzled'}"), words
    assert all(row["compiler"] is None for row in rows if row["address_space"] == "global")


def test_attention(tmp_path):
    values = profile("attention", tmp_path)
    assert values("tl.load(k")[2:] == values("tl.load(v")[2:] == (256, 256)


@pytest.mark.parametrize("version", [v for v in wheels.versions() if v not in ("3.2.0", "3.4.0")])
def test_gluon_transpose(version, tmp_path):
    """992 conflict cycles without a swizzle, 0 with one, and the advice names that one."""
    done = test_wheels.run(tmp_path / "cache", tmp_path, version, EXAMPLES / "gluon_transpose" / "gluon_transpose.py")
    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout + done.stderr
    with sqlite3.connect(f"file:{tmp_path / 'run_srclines.db'}?mode=ro", uri=True) as db:
        for phases, conflicts in ((1, 992), (32, 0)):
            rows = db.execute("""SELECT kind, sum(value) FROM line_view WHERE metric = 'Bank Conflict' AND space = 'LDS' AND kernel LIKE ?
                                 GROUP BY 1 ORDER BY 1""", (f"%PHASES={phases},%",)).fetchall()
            assert rows == [("load", conflicts), ("store", 0)]
    told = test_wheels.call([test_wheels.STAGE / "bin/lanescope", "report", "--kernel", "PHASES=1,", tmp_path / "run_srclines.db"],
                            dict(os.environ)).stdout
    words = " ".join(told.split())
    assert "SwizzledSharedLayout(vec=1, per_phase=1, max_phase=32, order)" in words and "992 -> 0 conflict cycles" in words


def test_every_example_says_what_to_see():
    folders = sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir())
    listed = (EXAMPLES / "README.md").read_text()
    assert all((EXAMPLES / f / "README.md").exists() and f"`{f}`" in listed for f in folders)
