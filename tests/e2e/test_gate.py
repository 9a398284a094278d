"""lanescope gate on real programs: the recipes of docs/ci.md, command by command, and kernels that cannot repeat."""

import json
import os
import re
import shutil
import xml.etree.ElementTree as xml

import pytest

import profiling

ROOT = profiling.SOURCE.parents[1]
RECIPES = (ROOT / "docs" / "ci.md").read_text()


def blocks(language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", RECIPES)


def baseline_commands():
    return blocks("sh")[0].splitlines()


def job_commands(service):
    """The commands of the job itself; packages are not installed here."""
    github, gitlab = blocks("yaml")
    if service == "github":
        lines = re.search(r"(?m)- name: Gate\n +run: \|\n((?: {10}.*\n)+)", github)[1].splitlines()
    else:
        lines = re.search(r"(?m)^  script:\n((?:    - .*\n)+)", gitlab)[1].replace("    - ", "").splitlines()
    commands = [line.strip() for line in lines]
    assert len(commands) == 2 and all(c.startswith("lanescope ") for c in commands), commands
    return commands


def shell(folder, command):
    env = profiling.clean_environment(PATH=f"{profiling.LANESCOPE.parent}:{os.environ['PATH']}", COLUMNS="120")
    return profiling.call("bash", "-c", command, cwd=folder, env=env)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A checkout with its baseline. The kernel with a padded tile is the one that somebody spoils."""
    folder = tmp_path_factory.mktemp("baseline") / "transpose"
    for name in ("transpose", "common"):  # which it includes from beside it
        shutil.copytree(ROOT / "hip-examples" / name, folder.parent / name)
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    for command in ["git init -q", *baseline_commands()]:
        done = shell(folder, command)
        assert done.returncode == 0, done.stderr
    assert "ci/transpose.db" in shell(folder, "git ls-files").stdout
    return folder


def spoiled(source):
    """The padded tile without its padding: [TILE][TILE + 1] is [TILE][TILE]."""
    text = source.read_text()
    assert text.count("[TILE + 1]") == 1
    return text.replace("[TILE + 1]", "[TILE]")


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_recipe(service, repository, tmp_path):
    """Green as it is; red, at the line that reads the tile, when the padding is gone. 256 wavefronts read a column of 32 floats
    each: 62 conflict cycles and 2 others become of 2 cycles."""
    checkout = tmp_path / "checkout"  # another folder than the baseline's
    shutil.copytree(repository, checkout)
    shutil.copytree(repository.parent / "common", tmp_path / "common")
    build, gate = job_commands(service)
    for command in (build, gate):
        done = shell(checkout, command)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "ok: none of" in done.stdout
    assert xml.parse(checkout / "gate.xml").getroot().get("failures") == "0"
    source = checkout / "transpose.hip"
    source.write_text(spoiled(source))
    assert shell(checkout, build).returncode == 0
    done = shell(checkout, gate)
    assert done.returncode == 1, done.stdout + done.stderr
    line = max(i for i, text in enumerate(source.read_text().splitlines(), 1) if "= tile[threadIdx.x][threadIdx.y]" in text)
    assert f"transpose.hip:{line}:" in done.stdout and "Bank Conflict 0 -> 15,872: worse than the baseline" in done.stdout
    failed = [c for c in xml.parse(checkout / "gate.xml").getroot().iter("testcase") if c.find("failure") is not None]
    assert [(c.get("file"), c.get("line")) for c in failed] == [("transpose.hip", str(line))]
    if service == "github":
        results = json.loads((checkout / "gate.sarif").read_text())["runs"][0]["results"]
        places = {(p["artifactLocation"]["uri"], p["region"]["startLine"])
                  for p in (r["locations"][0]["physicalLocation"] for r in results)}
        assert {r["ruleId"] for r in results} == {"lds_bank_conflicts/bank-conflict", "lds_bank_conflicts/lds-cycles"}
        assert places == {("transpose.hip", line)}
        assert all("tile[32][33]" in r["message"]["text"] for r in results)  # the advice


def test_order_of_wavefronts(programs, tmp_path):
    """Kernels with compare-and-swap loops are told and not judged, whatever their counts are; the others of the program are."""
    program, base = programs("atomic_loops.hip", "-O3"), tmp_path / "base.db"
    done = profiling.call(profiling.LANESCOPE, "gate", "--update", base, "--gpu", profiling.GPU, "--", program)
    assert done.returncode == 0, done.stderr
    done = profiling.call(profiling.LANESCOPE, "gate", base, "--gpu", profiling.GPU, "--", program)
    assert "not judged: the kernel has a compare-and-swap" in done.stdout
    assert "failed: " not in done.stdout or "nothing was compared" in done.stdout, done.stdout


def test_returned_values(tmp_path):
    """Which slot an atomic gives out depends on the order of wavefronts; an atomic whose result nobody wants does not."""
    source = tmp_path / "slots.hip"
    source.write_text("""
#include <hip/hip_runtime.h>
__global__ void compact(unsigned *n, float *out, const float *in)
{
  if (in[threadIdx.x] >= 0)
    out[atomicAdd(n, 1u)] = in[threadIdx.x];
}
__global__ void count(unsigned *n, const float *in)
{
  if (in[threadIdx.x] >= 0)
    atomicAdd(n, 1u);
}
int main()
{
  unsigned *n;
  float *a, *b;
  (void)hipMalloc((void **)&n, 4);
  (void)hipMalloc((void **)&a, 4096);
  (void)hipMalloc((void **)&b, 4096);
  (void)hipMemset(n, 0, 4);
  (void)hipMemset(a, 0, 4096);
  compact<<<4, 64>>>(n, b, a);
  count<<<4, 64>>>(n, a);
  return hipDeviceSynchronize() != hipSuccess;
}
""")
    program = tmp_path / "slots"
    done = profiling.compiled(profiling.LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", source, "-o", program)
    assert done.returncode == 0, done.stderr
    base = tmp_path / "base.db"
    profiling.call(profiling.LANESCOPE, "gate", "--update", base, "--gpu", profiling.GPU, "--", program)
    done = profiling.call(profiling.LANESCOPE, "gate", base, "--gpu", profiling.GPU, "--", program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"(?m)^compact\(.*: not judged: the kernel uses what an atomic returns", done.stdout), done.stdout
    assert not re.search(r"(?m)^count\(", done.stdout)


def test_explain_says_what_the_fix_brings(tmp_path):
    """What explain predicts of the unpadded tile is what the padded one takes (lanescope's own measurement of another program)."""
    example = profiling.EXAMPLES / "transpose"
    p = profiling.Profile(tmp_path, example)
    done = profiling.call(profiling.LANESCOPE, "explain", "--format", "json", "--kernel", r"transpose_lds\(", p.database)
    finding = json.loads(done.stdout)["findings"][0]
    change = next(c for c in finding["changes"] if "tile[32][33]" in c["change"])
    before = {m["metric"]: m["before"] for m in change["metrics"]}
    after = {m["metric"]: m["expected_after"] for m in change["metrics"]}
    for metric in ("Bank Conflict", "LDS Cycles"):
        assert before[metric] == p.metric("lds_bank_conflicts", metric, "transpose_lds(%", kind="load")
        assert after[metric] == p.metric("lds_bank_conflicts", metric, "transpose_lds_padded(%", kind="load")
    assert (finding["kernel"], finding["arguments"], finding["confidence"]) == ("transpose_lds", "float const*, float*, int", "high")
