"""Random contents of registers and LDS, and a random order of wavefronts, change no result of a correct program: neither
what it prints nor what is measured. They do change those of programs that depend on either."""

import pytest

import profiling

EXAMPLES = ["vector_add", "strided_copy", "transpose", "matmul", "reduction", "histogram", "aos_soa"]


def numbers(profile):
    return profile.query(
        """SELECT k.name, s.file, s.line, s.kind, m.handler, m.name, sum(v.value) FROM value v
           JOIN dispatch d ON d.id = v.dispatch JOIN kernel k ON k.id = d.kernel
           JOIN site_view s ON s.site = v.site JOIN metric m ON m.id = v.metric
           WHERE NOT m.is_ratio GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6""")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    program = profiling.EXAMPLES / name
    plain = profiling.Profile(tmp_path / "plain", program)
    assert plain.done.returncode == 0, plain.done.stderr
    random = profiling.Profile(tmp_path / "random", program, options=["--soft-poison=3", "--soft-shuffle=3"])
    assert (random.done.returncode, random.done.stdout) == (0, plain.done.stdout), random.done.stderr
    assert numbers(plain) and numbers(random) == numbers(plain)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_without_the_profiler(name):
    done = profiling.run_plain(profiling.EXAMPLES / name,
                               options={"LANESCOPE_SOFT_POISON": "12", "LANESCOPE_SOFT_SHUFFLE": "12"})
    assert done.returncode == 0 and "FAILED" not in done.stdout and "PASSED" in done.stdout, done


def sums(program, kernel, variable):
    """The sum of the kernel's results with three seeds."""
    found = set()
    for seed in range(1, 4):
        done = profiling.run_plain(program, kernel, "0", "sum", options={variable: str(seed)})
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    return found


@pytest.fixture(scope="module")
def racy(programs):
    return programs("-O3", "racy.hip", "-g", "-lamdhip64", compiler="clang++-22")


def test_poison_shows_unwritten_lds(racy):
    assert len(sums(racy, "half_written", "LANESCOPE_SOFT_POISON")) == 3
    assert len(sums(racy, "good_rotate", "LANESCOPE_SOFT_POISON")) == 1


def test_order_shows_a_missing_barrier(racy):
    assert len(sums(racy, "missing_barrier", "LANESCOPE_SOFT_SHUFFLE")) > 1
    assert len(sums(racy, "good_rotate", "LANESCOPE_SOFT_SHUFFLE")) == 1
