"""The package: what pip installs, the models, and Parquet data sets whose totals are those of `report`.

LANESCOPE_TEST_RECORDINGS: how many recordings (5). Tests are skipped for what Python lacks here: `everything` installs all of it
and takes 1,000."""

import collections
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STAGE = pathlib.Path(os.environ["LANESCOPE_BUILD_DIR"]) / "stage"
RECORDINGS = int(os.environ.get("LANESCOPE_TEST_RECORDINGS", 5))
RANKS, RUNS, HOSTS = 4, ("morning", "evening"), ("node1", "node 2/é")
ONE_LDS_CONFLICTS = 2 * (480 + 60)  # of a recording: two dispatches of two loads, results/tests/sample.c


def call(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=600, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lanescope():
    """The package, imported: of this folder, or as it is installed in this Python (LANESCOPE_TEST_INSTALLED)."""
    if not os.environ.get("LANESCOPE_TEST_INSTALLED"):
        sys.path.insert(0, str(ROOT / "python"))
    os.environ["PATH"] = f"{STAGE / 'bin'}:{os.environ['PATH']}"
    import lanescope as package
    of_source = (ROOT / "python") in pathlib.Path(package.__file__).parents
    assert of_source != bool(os.environ.get("LANESCOPE_TEST_INSTALLED"))
    return package


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Of two runs on two hosts with four ranks each; the first one has no rank, as a process without MPI."""
    folder = tmp_path_factory.mktemp("recordings")
    call(os.environ["LANESCOPE_TEST_SAMPLE"], folder / "0.db", folder / "transpose.hip", "1000")
    paths = [folder / f"{i}.db" for i in range(RECORDINGS)]
    for i, path in enumerate(paths[1:], 1):
        shutil.copy(paths[0], path)
        with sqlite3.connect(path) as db:
            db.execute("UPDATE process SET pid = ?, rank = ?, hostname = ?, guid = ?", (
                1000 + i, str(i % RANKS), HOSTS[i // RANKS % 2], f"00000000-0000-7000-8000-{i:012d}"))
            db.execute("INSERT OR REPLACE INTO meta VALUES('run_id', ?)", (RUNS[i % 3 % 2],))
        db.close()
    return paths


def totals_of_report(recordings):
    """{(handler, metric): sum} over all kernels and lines of `report --json`, without ratios."""
    report = json.loads(call(STAGE / "bin/lanescope", "report", "--json", *recordings))
    plain = {(m["handler"], m["name"]) for m in report["metrics"] if not m["ratio"]}
    totals = collections.Counter()
    for table in (t for k in report["kernels"] for t in k["tables"]):
        for row in table["rows"]:
            for name, value in row["metrics"].items():
                if (table["handler"], name) in plain:
                    totals[table["handler"], name] += value
    assert totals["lds_bank_conflicts", "Bank Conflict"] == ONE_LDS_CONFLICTS * len(recordings)
    return dict(totals)


def ranks_of(recordings):
    """{rank: recordings}, by the rule of the fixture."""
    return collections.Counter(None if i == 0 else i % RANKS for i in range(len(recordings)))


@pytest.fixture(scope="module")
def dataset(lanescope, recordings, tmp_path_factory):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed in this Python: pip install pyarrow")
    folder = tmp_path_factory.mktemp("dataset")
    lanescope.to_parquet(recordings, folder)
    return folder


def can_build():
    """Building without a network takes a setuptools that makes wheels, by itself or by `wheel`."""
    code = "import setuptools, pip; v = setuptools.__version__.split('.'); (int(v[0]), int(v[1])) >= (70, 1) or __import__('wheel')"
    return not subprocess.run([sys.executable, "-c", code], capture_output=True).returncode


def test_pip_installs_all_of_it(tmp_path):
    if not can_build():
        pytest.skip(f"{sys.executable} has no pip, setuptools and wheel")
    shutil.copytree(ROOT / "python", tmp_path / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    call(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation",
         "--disable-pip-version-check", "--target", tmp_path / "site", tmp_path / "source")
    sources = {p.relative_to(ROOT / "python") for p in [*(ROOT / "python").glob("*.py"), *(ROOT / "python/lanescope").rglob("*.py")]}
    assert {p.relative_to(tmp_path / "site") for p in (tmp_path / "site").rglob("*.py")} == sources
    env = dict(os.environ, PYTHONPATH=str(tmp_path / "site"))
    where = call(sys.executable, "-c", "import lanescope; print(lanescope.models.__file__)", cwd=tmp_path, env=env)
    assert where.strip() == str(tmp_path / "site/lanescope/models.py")


def test_models(lanescope):
    models = lanescope.models
    assert "gfx942" in models.gpus() and models.lanes("gfx942") == 64 and models.lanes("gfx000") == 0
    # 64 lanes in one of 32 banks: one lane a cycle, where 2 cycles would do.
    cost = models.lds_cost("gfx942", [lane * 128 for lane in range(64)], 4)
    assert (cost.cycles, cost.conflict_cycles, cost.banks) == (64, 62, 32) and cost.basis in ("measured", "documented", "assumed")
    # The upper half is not active: 32 lanes side by side have 128 bytes, a line of gfx942.
    cost = models.global_cost("gfx942", [4096 + 4 * lane if lane < 32 else None for lane in range(64)], 4, "write")
    assert (cost.bytes, cost.l1_lines, cost.l1_lines_needed, cost.l1_line) == (128, 1, 1, 128)


@pytest.mark.parametrize("arguments, code", [
    (("gfx000", [0], 4), -1), (("gfx942", [0], 4, "fetch"), -3), (("gfx942", [0], 3), -4), (("gfx942", [0] * 65, 4), -5),
    (("gfx942", [None] * 64, 4), -6), (("gfx942", [], 4), -6), (("gfx942", [2], 4), -7), (("gfx942", [1 << 31], 4), -8),
    (("gfx942", [-4], 4), -8), (("gfx942", [1 << 40], 4), -8)])
def test_questions_without_an_answer(lanescope, arguments, code):
    with pytest.raises(lanescope.models.ModelError) as raised:
        lanescope.models.lds_cost(*arguments)
    assert raised.value.code == code and str(raised.value)


def test_the_reader_is_installed(lanescope, recordings):
    with lanescope.Database(recordings[0]) as db:
        assert sum(line.metrics["Bank Conflict"] for line in db.lines(handler="lds_bank_conflicts")) == ONE_LDS_CONFLICTS


def test_what_is_missing_is_said(lanescope, recordings, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(lanescope.Error, match="to_parquet needs pyarrow: pip install pyarrow"):
        lanescope.to_parquet(recordings[:1], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_pyarrow(dataset, recordings):
    import pyarrow.dataset
    table = pyarrow.dataset.dataset(dataset, partitioning="hive").to_table().to_pylist()
    totals, ranks, places = collections.Counter(), collections.defaultdict(set), set()
    for row in table:
        totals[row["handler"], row["metric"]] += row["value"]
        ranks[row["rank"]].add(row["recording"])
        places.add(row["host"])
    assert dict(totals) == totals_of_report(recordings)
    assert {r: len(g) for r, g in ranks.items()} == dict(ranks_of(recordings))
    assert places == set(HOSTS[:1] if len(recordings) <= RANKS else HOSTS)


def test_a_merged_database_gives_the_same(lanescope, dataset, recordings, tmp_path):
    """Run, host and rank come from inside the merge."""
    call(STAGE / "bin/lanescope", "merge", "-o", tmp_path / "all.db", *recordings)
    lanescope.to_parquet(tmp_path / "all.db", tmp_path / "out")

    def files(folder):
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*.parquet"))

    assert files(tmp_path / "out") == files(dataset) and len(files(dataset)) == len(recordings)
    assert not list(dataset.rglob("*.partial"))


def test_given_twice(lanescope, recordings, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed in this Python: pip install pyarrow")
    with pytest.raises(lanescope.Error, match=r"0\.db: is the same recording as .*would count twice"):
        lanescope.to_parquet([recordings[0], recordings[0]], tmp_path)
    with pytest.raises(lanescope.Error, match="no such file"):
        lanescope.to_parquet([tmp_path / "none.db"], tmp_path)


def test_duckdb(dataset, recordings):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed in this Python: pip install duckdb")
    source = f"read_parquet('{dataset}/**/*.parquet', hive_partitioning = true)"
    rows = duckdb.sql(f"SELECT handler, metric, sum(value)::BIGINT FROM {source} GROUP BY ALL").fetchall()
    assert {row[:2]: row[2] for row in rows} == totals_of_report(recordings)
    rows = duckdb.sql(f"SELECT rank, count(DISTINCT recording) FROM {source} GROUP BY ALL").fetchall()
    assert {None if r is None else int(r): n for r, n in rows} == dict(ranks_of(recordings))


def test_spark(dataset, recordings):
    """On a local cluster: two worker threads."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed in this Python: pip install pyspark")
    if not shutil.which("java"):
        pytest.skip("PySpark needs Java, which is not installed")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
        "spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        frame = spark.read.parquet(str(dataset))
        rows = frame.groupBy("handler", "metric").sum("value").collect()
        assert {(r[0], r[1]): r[2] for r in rows} == totals_of_report(recordings)
        rows = frame.select("rank", "recording").distinct().groupBy("rank").count().collect()
        assert {None if r[0] is None else int(r[0]): r[1] for r in rows} == dict(ranks_of(recordings))
        assert {r[0] for r in frame.select("host").distinct().collect()} <= set(HOSTS)
    finally:
        spark.stop()


def test_version():
    """One number in the build and in the package."""
    version = re.search(r'^version = "([^"]*)"', (ROOT / "python/pyproject.toml").read_text(), re.M)[1]
    assert version in call(STAGE / "bin/lanescope", "--version")
