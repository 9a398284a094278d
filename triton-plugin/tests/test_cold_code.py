"""The cold code goes round Triton's code generator (lanescope_triton/cold_code.py), in texts written by hand."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lanescope_triton import cold_code  # noqa: E402

IR = r'''
define internal void @__ls_cold() noinline #18 align 64 {
  call void asm sideeffect "\0A\09.ascii \22lanescope: cold code\22", ""()
  unreachable
}
'''
# Bytes 0, 9 (as octal), a letter, a backslash (as octal), and text that looks like an escape of regular expressions.
COLD = '\n\ts_nop 0\n\t.p2align 6\n\t.ascii "\\000\\011a\\134\\223"'
ASSEMBLY = '__ls_cold:\n; %bb.0:\n\t;APP\n\n\t.ascii\t"lanescope: cold code"\n\t;NO_APP\n.Lfunc_end6:\n'


def test_round_it():
    assert cold_code.taken_from(f"{IR}\0{COLD}") == (IR, COLD)
    assert cold_code.put_into(ASSEMBLY, COLD) == ASSEMBLY.replace('\t.ascii\t"lanescope: cold code"', COLD[1:])


def test_without_it():
    """A device library of which nothing is called, or a plugin without ready code."""
    assert cold_code.taken_from("x") == ("x", None)
    assert cold_code.put_into("x", None) == "x"


@pytest.mark.parametrize("times", [0, 2])
def test_its_place_is_not_clear(times):
    """What nobody wrote is not guessed at: the stock kernel runs."""
    with pytest.raises(cold_code.Unknown):
        cold_code.put_into(ASSEMBLY.replace("\t.ascii", "") if not times else ASSEMBLY * times, COLD)
