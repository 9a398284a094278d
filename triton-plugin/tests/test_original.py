"""The check of originals must notice what matters and nothing else."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lanescope_triton import original  # noqa: E402

STOCK = """
\t.globl\tk
\t.type\tk,@function
k:
.Lfunc_begin0:
\t.loc\t1 3 0
\ts_load_dword s0, s[4:5], 0x0
.Ltmp0:
\ts_cbranch_scc1 .LBB0_2 ; %bb.1
\tv_mov_b32_e32 v0, 0
.LBB0_2:
\ts_endpgm
.Lfunc_end0:
\t.size\tk, .Lfunc_end0-k
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size 0
\t\t.amdhsa_next_free_vgpr 1
\t.end_amdhsa_kernel
"""
CLONE = """
__ls_k_k:
\ts_nop 0
.Lfunc_end1:
\t.amdhsa_kernel __ls_k_k
\t\t.amdhsa_next_free_vgpr 9
\t.end_amdhsa_kernel
"""


def test_equal_beside_a_clone():
    renumbered = (CLONE + STOCK).replace(".LBB0_2", ".LBB1_2").replace(".Ltmp0", ".Ltmp7").replace("1 3 0", "2 3 0")
    assert original.difference(STOCK, renumbered, "k") is None


@pytest.mark.parametrize("old, new, word", [
    ("v_mov_b32_e32 v0, 0", "v_mov_b32_e32 v0, 1", "code"),
    ("\tv_mov_b32_e32 v0, 0\n", "", "code"),
    ("s_endpgm", "s_nop 0\n\ts_endpgm", "code"),
    ("next_free_vgpr 1", "next_free_vgpr 2", "descriptor"),
    ("\t\t.amdhsa_next_free_vgpr 1\n", "", "descriptor"),
    ("k:\n", "renamed:\n", "not found"),
])
def test_difference_is_named(old, new, word):
    assert word in original.difference(STOCK, (STOCK + CLONE).replace(old, new, 1), "k")


def test_branches_to_other_places_differ():
    there = STOCK.replace("\ts_endpgm\n", ".LBB0_3:\n\ts_endpgm\n")
    moved = there.replace("scc1 .LBB0_2", "scc1 .LBB0_3")
    assert original.difference(there, moved, "k")
