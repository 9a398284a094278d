"""The cold code goes round Triton's code generator (lanescope_triton/cold_code.py), in texts written by hand."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lanescope_triton import cold_code  # noqa: E402

# Bytes 0, 9 (as octal), a letter, a backslash (as octal), and text that looks like an escape of IR's but is none: \223 is a byte.
IR = r'''
define internal void @__ls_access(i64 %0) noinline #9 {
  call void asm sideeffect "\0A\09.ascii \22\\001\\002\22", ""()
  unreachable
}

define internal void @__ls_cold() noinline #18 align 64 {
  call void asm sideeffect "\0A\09s_nop 0\0A\09.p2align 6\0A\09.ascii \22\\000\\011a\\134\\223\22", ""()
  unreachable
}
'''
COLD = '\n\ts_nop 0\n\t.p2align 6\n\t.ascii "\\000\\011a\\134\\223"'
ASSEMBLY = '__ls_cold:\n; %bb.0:\n\t;APP\n\n\t.ascii\t"lanescope: cold code"\n\t;NO_APP\n.Lfunc_end6:\n'


def test_round_it():
    ir, cold = cold_code.taken_from(IR)
    assert cold == COLD
    assert ir == IR[: IR.index(r"\0A\09s_nop")] + r'\0A\09.ascii \22lanescope: cold code\22", ""()' + IR[IR.rindex("\n  unreachable"):]
    assert cold_code.put_into(ASSEMBLY, cold) == ASSEMBLY.replace('\t.ascii\t"lanescope: cold code"', COLD[1:])


def test_without_it():
    """A device library of which nothing is called, or a plugin without ready code."""
    ir = IR[: IR.index("define internal void @__ls_cold")]
    assert cold_code.taken_from(ir) == (ir, None)
    assert cold_code.put_into("x", None) == "x"


@pytest.mark.parametrize("old, new", [(r"\\000", r"\00"), (r"\\000", "$0"), (r"\\000", r"\5C000")])
def test_other_characters(old, new):
    """What nobody wrote is not guessed at: the stock kernel runs."""
    at = IR.index("s_nop")
    with pytest.raises(cold_code.Unknown):
        cold_code.taken_from(IR[:at] + IR[at:].replace(old, new))


@pytest.mark.parametrize("times", [0, 2])
def test_its_place_is_not_clear(times):
    with pytest.raises(cold_code.Unknown):
        cold_code.put_into(ASSEMBLY.replace("\t.ascii", "") if not times else ASSEMBLY * times, COLD)
