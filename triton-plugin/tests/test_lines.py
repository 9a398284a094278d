"""Each line's numbers against the software GPU's log of the original kernels (tests/e2e/lines.py), without tolerance."""

import os
import pathlib
import sys

import pytest

import by_hand
import by_hand_algorithms
import by_hand_forms
import by_hand_gluon
import by_hand_shapes
import generated
import module_text
import test_wheels
import wheels

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "e2e"))
import hardware  # noqa: E402
import lines  # noqa: E402

ALL = bool(os.environ.get("LANESCOPE_TEST_ALL"))
SAMPLE = [generated.elementwise, generated.whole, generated.dot, generated.atomic, generated.masked_2d, generated.scalar]


def compare(folder, text, version="3.2.0", *options):
    """Runs the program, and compares the second run of each kernel with the third."""
    folder.mkdir(exist_ok=True)
    program, log = folder / "program.py", folder / "access.log"
    program.write_text(text)
    done = test_wheels.run(folder / "cache", folder, version, program,
                           ["--kernel-iteration-range", "[2]", "--access-log", log, *options])
    assert done.returncode == 0 and done.stdout == "same\n", done.stdout + done.stderr
    images = [hardware.Code(path.read_bytes(), folder / f"{i}.co") for i, path in enumerate(folder.glob("cache/*/*.hsaco"))]
    report = lines.Report(folder / "run_srclines.db")
    return lines.Comparison(report, report, images, skip=1, accessed=module_text.accessed_in(folder / "cache")).feed(log)


@pytest.mark.parametrize("version", wheels.versions())
@pytest.mark.parametrize("seed", range(1, 5) if ALL else [1])
def test_generated(seed, version, tmp_path):
    families, each = generated.families(version) if ALL else SAMPLE, 2
    r = compare(tmp_path, generated.program(seed, families, each), version)
    assert not r.wrong
    assert r.kernels == r.dispatches == len(families) * each
    # More is not wrong, but of less use: pairs of loads from LDS that look alike, most of them operands of tl.dot.
    assert r.not_joined * (4 if ALL else 20) <= r.counted


def test_by_hand(tmp_path):
    """With 3.2.0: later versions lack some of what is called here."""
    r = compare(tmp_path, by_hand.program())
    assert not r.wrong
    assert r.kernels == r.dispatches == by_hand.LAUNCHES
    assert r.not_joined * 20 <= r.counted, (r.not_joined, r.counted)


@pytest.mark.parametrize("version", wheels.versions())
def test_algorithms(version, tmp_path):
    r = compare(tmp_path, by_hand_algorithms.program(counted=not wheels.hip(version)), version)
    assert not r.wrong
    assert r.kernels == r.dispatches == by_hand_algorithms.launches(version)
    assert r.not_joined * 20 <= r.counted, (r.not_joined, r.counted)


@pytest.mark.skipif(not ALL, reason="LANESCOPE_TEST_ALL=1 asks for it")
@pytest.mark.parametrize("version", wheels.versions())
def test_forms(version, tmp_path):
    (tmp_path / "helper.py").write_text(by_hand_forms.HELPER)
    r = compare(tmp_path, by_hand_forms.program(), version)
    assert not r.wrong
    assert r.kernels == r.dispatches == by_hand_forms.launches(version)
    assert r.not_joined * 20 <= r.counted, (r.not_joined, r.counted)


@pytest.mark.skipif(not ALL, reason="LANESCOPE_TEST_ALL=1 asks for it")
@pytest.mark.parametrize("version", [v for v in wheels.versions() if v not in ("3.2.0", "3.4.0")])
def test_gluon(version, tmp_path):
    r = compare(tmp_path, by_hand_gluon.program(version), version)
    assert not r.wrong
    assert r.kernels == r.dispatches == by_hand_gluon.launches(version, "gfx90a")
    assert r.not_joined * 20 <= r.counted, (r.not_joined, r.counted)


@pytest.mark.parametrize("options", [(), ("--summary-mode",)])
@pytest.mark.parametrize("buffers", ["0", "1"])
@pytest.mark.parametrize("version", wheels.versions())
def test_shapes(version, buffers, options, tmp_path, monkeypatch):
    """`buffers`: with instructions for buffers, where Triton can prove that they will do, or without. Those of functions that are not
    inlined stand in loops that code generation makes, for it cannot see that all lanes have one buffer: not joined, and named so."""
    if (buffers == "0" or not options) and not ALL:
        pytest.skip("LANESCOPE_TEST_ALL=1 asks for it")
    monkeypatch.setenv("AMDGCN_USE_BUFFER_OPS", buffers)
    r = compare(tmp_path, by_hand_shapes.program(version, counted=not wheels.hip(version)), version, *options)
    assert not r.wrong
    assert r.kernels == r.dispatches == by_hand_shapes.launches(version)
    assert r.not_joined * 15 <= r.counted, (r.not_joined, r.counted)
