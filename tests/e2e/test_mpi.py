"""Four ranks under Open MPI: docs/mpi.md. Each rank has a recording of its own, and all of them together have the sums of all."""

import json
import os
import shutil
import socket
import subprocess

import pytest

import profiling
from profiling import GPU, LANESCOPE

RANKS = 4
EXECUTIONS = sum(range(1, RANKS + 1))  # rank r runs r + 1 work-groups of one wavefront
RESULT = f"{RANKS} ranks: {sum(64 * r * 2 * r for r in range(1, RANKS + 1))}\n"  # 64 r elements, each 2 r
# As root, which a build container may be, and with more ranks than processors: Open MPI asks to be told.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm": "isolated"}


def mpi_flags():
    """Open MPI's own: None when it is not installed."""
    if not (shutil.which("mpirun") and shutil.which("mpicc")):
        return None
    done = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True)
    link = subprocess.run(["mpicc", "--showme:link"], capture_output=True, text=True)
    return None if done.returncode or link.returncode else [*done.stdout.split(), *link.stdout.split()]


pytestmark = pytest.mark.skipif(mpi_flags() is None, reason="Open MPI is not installed (openmpi-bin, libopenmpi-dev)")


def mpirun(folder, *command):
    return profiling.call("mpirun", "-n", RANKS, *command, cwd=folder, env=profiling.clean_environment(**MPI))


def sums(*databases):
    """Executions of the marked line's store over all databases, and the rank of each."""
    report = json.loads(profiling.call(LANESCOPE, "report", "--json", *databases).stdout)
    rows = [row for k in report["kernels"] for t in k["tables"] if t["handler"] == "memory_coalescing" for row in t["rows"]
            if row["access"] == "store"]
    return sum(row["metrics"]["Executions"] for row in rows), [d["rank"] for d in report["databases"]]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    # The flags of mpicc start with a dash; the file does not, and is one of tests/e2e/programs.
    return profiling.compile_hip(tmp_path_factory.mktemp("mpi") / "app", "mpi_ranks.hip", "--offload-arch=gfx90a", *mpi_flags())


def test_four_ranks(program, tmp_path):
    done = mpirun(tmp_path, LANESCOPE, "run", "--gpu", GPU, "-d", "results", "-o", "%hostname%/rank%rank%", "--", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == RESULT
    host = tmp_path / "results" / socket.gethostname()
    databases = sorted(host.glob("*_srclines.db"))
    assert [d.name for d in databases] == [f"rank{r}_srclines.db" for r in range(RANKS)]
    for r, database in enumerate(databases):
        assert sums(database) == (r + 1, [str(r)])
    assert sums(*databases) == (EXECUTIONS, [str(r) for r in range(RANKS)])

    merged = profiling.call(LANESCOPE, "merge", *databases, "-o", tmp_path / "all.db")
    assert merged.returncode == 0, merged.stderr
    assert sums(tmp_path / "all.db") == (EXECUTIONS, [str(r) for r in range(RANKS)])
    rows = profiling.call(LANESCOPE, "query", "--format", "csv", tmp_path / "all.db", BY_RANK)
    assert rows.stdout.splitlines() == ["rank,executions"] + [f"{r},{r + 1}" for r in range(RANKS)], rows.stderr


# As docs/mpi.md shows it, but for the metric.
BY_RANK = """SELECT p.rank, sum(v.value) AS executions FROM value v JOIN metric m ON m.id = v.metric
JOIN dispatch d ON d.id = v.dispatch JOIN process p ON p.id = d.process JOIN site_view s ON s.site = v.site
WHERE m.handler = 'memory_coalescing' AND m.name = 'Executions' AND s.kind = 'store' GROUP BY p.rank"""


def test_names_that_are_not_given(program, tmp_path):
    """Each rank has a name of its own without any option, too."""
    done = mpirun(tmp_path, LANESCOPE, "run", "--gpu", GPU, "-d", tmp_path / "results", "--", program)
    assert done.returncode == 0, done.stderr
    databases = sorted((tmp_path / "results").rglob("*_srclines.db"))
    assert len(databases) == RANKS and sums(*databases)[0] == EXECUTIONS


def test_some_ranks_only(program, tmp_path):
    """docs/mpi.md: a rank whose environment says so observes nothing."""
    script = tmp_path / "rank"
    script.write_text('#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 2 ] || export LANESCOPE_KERNELS=\'^$\'\nexec "$@"\n')
    script.chmod(0o755)
    done = mpirun(tmp_path, script, LANESCOPE, "run", "--gpu", GPU, "-d", "results", "-o", "rank%rank%", "--", program)
    assert done.returncode == 0 and done.stdout == RESULT, done.stderr
    databases = sorted((tmp_path / "results").glob("*.db"))
    assert [sums(d)[0] for d in databases] == [0, 0, 3, 0]


def test_the_exit_code_of_a_rank(program, tmp_path):
    """Open MPI says of the job what the rank said; with Lanescope between them, too."""
    plain = profiling.call("mpirun", "-n", RANKS, program, "7", cwd=tmp_path, env=profiling.clean_environment(
        **MPI, LD_PRELOAD=str(next((profiling.BUILD / "stage").glob("lib*/**/liblanescope-softgpu.so"))), LANESCOPE_GPU=GPU))
    done = mpirun(tmp_path, LANESCOPE, "run", "--gpu", GPU, "-d", "results", "-o", "rank%rank%", "--", program, "7")
    assert plain.returncode == done.returncode == 7
    assert os.listdir(tmp_path / "results")
