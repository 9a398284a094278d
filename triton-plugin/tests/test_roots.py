"""Newer Tritons under the newer runtimes in the roots that tests/newer-runtimes/roots made (LANESCOPE_NEWER_RUNTIMES), on the
software GPU. Needs root, as chroot does, and a package index or wheels that are there already."""

import os
import pathlib
import re
import sqlite3
import sys

import pytest

import by_hand_algorithms
import by_hand_forms
import by_hand_gluon
import generated
import module_text
import test_tutorials
import wheels

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "e2e"), str(SOURCE / "tests" / "newer-runtimes")]
import hardware  # noqa: E402
import lines  # noqa: E402
from root import HIP_GPUS, WORK, Root  # noqa: E402

ROOTS = os.environ.get("LANESCOPE_NEWER_RUNTIMES", "")
PYTHON = "3.14"  # of both roots
VERSIONS = ["3.6.0", "3.9.0"]
# Not gfx1100: its tl.dot is WMMA, which the software GPU lacks (docs/limits.md).
CASES = [(name, v, gpu) for name in ("sid", "experimental") for v in VERSIONS for gpu in HIP_GPUS[name] if gpu in ("gfx90a", "gfx942", "gfx950")]
PROGRAMS = f"{WORK}/triton"
TUTORIALS = os.environ.get("LANESCOPE_TRITON_TUTORIALS", "")


@pytest.fixture(scope="module")
def roots():
    """name -> the Root, entered when first asked for."""
    entered = {}

    def get(name):
        path = pathlib.Path(ROOTS, name)
        if not ROOTS or not path.is_dir():
            pytest.skip(f"no root {name}: LANESCOPE_NEWER_RUNTIMES names no folder that has it (tests/newer-runtimes/roots)")
        if name not in entered:
            wheels.FOLDER.mkdir(exist_ok=True)
            root = entered[name] = Root(path, wheels.BUILD, compiler=False).__enter__()
            for source, place in ((wheels.FOLDER, f"{WORK}/wheels"), (SOURCE / "triton-plugin" / "tests" / "programs", PROGRAMS)):
                root.mount("--bind", source, at=place)
            if TUTORIALS:
                root.mount("--bind", TUTORIALS, at=f"{WORK}/tutorials")
        return entered[name]

    yield get
    for root in entered.values():
        root.__exit__()


class Run:
    """`lanescope run` of a program in a root, with a cold cache, and what it left."""

    def __init__(self, root, version, gpu, name, *program, options=(), packages=(), keep=False, **environment):
        inside = f"{WORK}/out/triton/{version}-{gpu}-{name}"
        self.folder = root.inside(inside)
        if not keep:
            root.run("rm", "-rf", inside)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = [wheels.path(version, PYTHON), *(p(PYTHON) for p in packages)]
        self.done = root.run(
            "sh", "-c", f'cd {inside} && exec "$@"', "sh", "lanescope", "run", "--gpu", f"soft:{gpu}", "-d", inside, "-o", "run",
            *options, "--", "python3", *program, PYTHONPATH=":".join(f"{WORK}/wheels/{p.name}" for p in path), MPLBACKEND="Agg",
            TRITON_CACHE_DIR=f"{inside}/cache", TRITON_DEFAULT_FP_FUSION="1", PYTHONDONTWRITEBYTECODE="1",
            **environment,
        )

    def files(self, suffix):
        return list(self.folder.glob(f"cache/*/*.{suffix}"))

    def one(self, sql):
        with sqlite3.connect(f"file:{self.folder / 'run_srclines.db'}?mode=ro", uri=True) as db:
            return db.execute(sql).fetchone()[0]

    def compare(self):
        """The second run of each kernel in the report with the third in the log."""
        images = [hardware.Code(p.read_bytes(), self.folder / f"{i}.co") for i, p in enumerate(self.files("hsaco"))]
        report = lines.Report(self.folder / "run_srclines.db")
        return lines.Comparison(report, report, images, skip=1, accessed=module_text.accessed_in(self.folder / "cache")).feed(self.folder / "access.log")


def thrice(root, version, gpu, name, text, joined=20):
    """A generated program, run, compared and found exact; of `joined` executed instructions at most one is not joined."""
    program = f"{WORK}/out/{name}.py"
    root.inside(program).parent.mkdir(parents=True, exist_ok=True)
    root.inside(program).write_text(text)
    run = Run(root, version, gpu, name, program, packages=[wheels.numpy],
              options=["--kernel-iteration-range", "[2]", "--access-log", f"{WORK}/out/triton/{version}-{gpu}-{name}/access.log"])
    assert (run.done.code, run.done.out) == (0, "same\n"), run.done.err
    assert run.one("SELECT count(*) FROM code_object WHERE compiler LIKE 'code=stock%original=identical%'") == len(run.files("hsaco"))
    result = run.compare()
    assert not result.wrong
    assert result.kernels == result.dispatches == len(run.files("hsaco"))
    assert result.not_joined * joined <= result.counted
    return run


@pytest.mark.parametrize("name, version, gpu", CASES)
def test_generated_kernels(roots, name, version, gpu):
    """One of each family, with other sizes for each case; no line's numbers differ from the log's."""
    seed = 100 + CASES.index((name, version, gpu))
    families = generated.families(version)
    root = roots(name)
    run = thrice(root, version, gpu, "generated", generated.program(seed, families, 1))
    assert len(run.files("hsaco")) >= len(families)
    # Rows are called after the author's lines; tl.sum, tl.sort and their like are detail.
    told = root.run("lanescope", "report", "--top", "0", "--kernels", "0", f"/{(run.folder / 'run_srclines.db').relative_to(root.path)}").out
    titles = re.findall(r"^  (\S+\.py:\d+)", told, re.M)
    assert titles and all(title.startswith("generated.py:") for title in titles)
    if run.one("SELECT count(*) FROM site_view s JOIN value v ON v.site = s.site WHERE s.file LIKE '%/standard.py'"):
        assert "standard.py" in told  # of small blocks such a function may access no memory


@pytest.mark.parametrize("name, version, gpu", CASES)
def test_algorithms(roots, name, version, gpu):
    """Of loops with a tl.dot the compiler makes turns before and behind them. On gfx950 code generation moves the reads of LDS there
    into the conditions around these: they are joined all the same."""
    run = thrice(roots(name), version, gpu, "algorithms", by_hand_algorithms.program(), joined=1000 if version == "3.9.0" else 5)
    assert len(run.files("hsaco")) == by_hand_algorithms.launches(version)


@pytest.mark.parametrize("name, version, gpu", CASES)
def test_forms(roots, name, version, gpu):
    root = roots(name)
    helper = root.inside(f"{WORK}/out/helper.py")
    helper.parent.mkdir(parents=True, exist_ok=True)
    helper.write_text(by_hand_forms.HELPER)
    run = thrice(root, version, gpu, "forms", by_hand_forms.program())
    assert len(run.files("hsaco")) == by_hand_forms.launches(version)


@pytest.mark.parametrize("name, version, gpu", CASES)
def test_gluon(roots, name, version, gpu):
    run = thrice(roots(name), version, gpu, "gluon", by_hand_gluon.program(version))
    assert len(run.files("hsaco")) == by_hand_gluon.launches(version, gpu)


COPIES = '''
@triton.jit
def copies(a, b, c, K: tl.constexpr, STEP: tl.constexpr):
    i, j, kk = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, STEP)
    sums = tl.zeros((64, 64), tl.float32)
    for t in tl.range(0, K, STEP, num_stages=3):
        x = tl.load(a + i[:, None] * K + (t + kk)[None, :])
        y = tl.load(b + (t + kk)[:, None] * 64 + j[None, :])
        sums += tl.dot(x, y)
    tl.store(c + i[:, None] * 64 + j[None, :], sums)


thrice(copies, (1,), [data("float16", 64 * 256), data("float16", 256 * 64), data("float32", 64 * 64)], K=256, STEP=64, num_warps=4)
print("same")
'''


def test_asynchronous_copies_to_lds(roots):
    """gfx950: two operands of 64 x 64 halves, 8192 bytes in four turns each, by 4 wavefronts whose lanes copy 16 bytes: 8 copies
    of 1024 bytes for each operand and turn, 8 lines of 128 bytes or 64 lanes each."""
    text = generated.HEAD.format(seed=1) + COPIES
    run = thrice(roots("experimental"), "3.9.0", "gfx950", "copies", text)
    assert any("load.async" in p.read_text() for p in run.files("llir")), "this version makes no such copies: another kernel is needed"
    assert run.one("SELECT count(*) FROM site WHERE reason IS NOT NULL AND reason <> 0") == 0
    line = next(i for i, t in enumerate(text.splitlines(), 1) if "x = tl.load(a" in t)
    for number in (line, line + 1):
        assert run.one(f"""SELECT sum(value) FROM line_view WHERE metric = 'Bytes' AND line = {number} AND kind = 'LDS DMA read'
                           AND file LIKE '%/copies.py'""") == 4 * 8192


@pytest.mark.parametrize("version", VERSIONS)
def test_preloaded_arguments(roots, version):
    """Triton has arguments loaded into registers before a kernel starts; clones too."""
    run = Run(roots("experimental"), version, "gfx942", "elementwise", f"{PROGRAMS}/elementwise.py", packages=[wheels.numpy])
    assert (run.done.code, run.done.out) == (0, "right\n"), run.done.err
    for path in run.files("amdgcn"):
        lengths = [int(n) for n in re.findall(r"\.amdhsa_user_sgpr_kernarg_preload_length (\d+)", path.read_text())]
        assert len(lengths) == 2 and all(lengths), path
    assert run.one("SELECT count(*) FROM dispatch WHERE observed") == 3


def test_store_binary_only(roots):
    """Without the texts in the cache a second run finds kernels with probes, too."""
    root = roots("experimental")
    run = Run(root, "3.6.0", "gfx942", "binary", f"{PROGRAMS}/elementwise.py", packages=[wheels.numpy], TRITON_STORE_BINARY_ONLY="1")
    assert run.done.code == 0 and "(3 instrumented)" in run.done.err, run.done.err
    assert run.files("hsaco") and not run.files("llir") and not run.files("amdgcn")
    before = {p: p.stat().st_mtime_ns for p in run.files("*")}
    again = Run(root, "3.6.0", "gfx942", "binary", f"{PROGRAMS}/elementwise.py", packages=[wheels.numpy], keep=True,
                TRITON_STORE_BINARY_ONLY="1")
    assert again.done.code == 0 and "(3 instrumented)" in again.done.err, again.done.err
    assert {p: p.stat().st_mtime_ns for p in run.files("*")} == before


def needs_torch(root):
    if root.run("python3", "-c", "import torch").code:
        pytest.skip(f"no torch in {root.path}: install python3-torch in it")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tutorial", test_tutorials.NAMES)
def test_of_tutorials(roots, version, tutorial):
    """They compare with torch themselves, and end with an error or say "differ" when something is wrong."""
    root = roots("experimental")
    needs_torch(root)
    shapes = wheels.shapes(version) if tutorial == test_tutorials.NAMES[-1] else []
    run = Run(root, version, "gfx942", tutorial, f"{PROGRAMS}/tutorial.py",
              f"{WORK}/tutorials/{wheels.tutorials(version).name}/{tutorial}.py", *shapes, packages=[wheels.plots])
    assert run.done.code == 0 and "differ\n" not in run.done.out, run.done.out + run.done.err
    assert run.done.out.count("right") == len(shapes)
    assert run.one("""SELECT count(*) FROM dispatch d JOIN kernel k ON k.id = d.kernel JOIN module m ON m.id = k.module
                      WHERE d.observed""") > 0
    assert "torch has no ROCm here" in run.done.err


def test_do_bench(roots):
    """triton.testing.do_bench itself, which asks torch for events and empties caches."""
    root = roots("experimental")
    needs_torch(root)
    run = Run(root, "3.6.0", "gfx942", "do_bench", f"{PROGRAMS}/do_bench.py")
    assert (run.done.code, run.done.out) == (0, "right\n"), run.done.err


def test_the_name_cuda(roots):
    """Tensors by the name that they have on GPUs."""
    root = roots("experimental")
    needs_torch(root)
    run = Run(root, "3.6.0", "gfx942", "cuda_names", f"{PROGRAMS}/cuda_names.py")
    assert (run.done.code, run.done.out) == (0, "right\n"), run.done.err
