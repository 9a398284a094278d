"""Names of specialised kernels, from what each version of Triton has in its source object."""

import dataclasses
import pathlib
import re
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lanescope_triton import specialisation  # noqa: E402

OPTIONS = types.SimpleNamespace(num_warps=4, num_stages=2, arch="gfx90a")


def source(signature, constants, attributes, names=("x", "n", "stride", "BLOCK")):
    function = types.SimpleNamespace(__name__="add", arg_names=list(names))
    return types.SimpleNamespace(fn=function, signature=signature, constants=constants, attrs=attributes)


class Descriptor:
    """As in 3.2."""

    def get_fn_attrs(self):
        return {0: [["tt.divisibility", 16]]}


@pytest.mark.parametrize("signature, constants, attributes", [
    # 3.2: by name, and by number
    ({"x": "*fp32", "n": "i32"}, {"stride": 1, "BLOCK": 1024}, Descriptor()),
    ({0: "*fp32", 1: "i32"}, {2: 1, 3: 1024}, types.SimpleNamespace(divisibility_16=(0,))),
    # from 3.3 on constants have paths, and stand in the signature
    ({"x": "*fp32", "n": "i32", "stride": "constexpr", "BLOCK": "constexpr"}, {(2,): 1, (3,): 1024},
     {(0,): [["tt.divisibility", 16]]}),
])
def test_versions(signature, constants, attributes):
    assert specialisation.name(source(signature, constants, attributes), OPTIONS) == \
        "add<x=*fp32:16, n=i32, stride=1, BLOCK=1024, num_warps=4, num_stages=2>"


@dataclasses.dataclass
class Options:
    """As in 3.9: the class has one default of enable_fp_fusion, what is parsed another; texts of attributes become tuples."""

    num_warps: int = 4
    waves_per_eu: int = 1
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    enable_fp_fusion: bool = False
    llvm_fn_attrs: str = ""
    debug: bool = False
    arch: str = None


@pytest.mark.parametrize("chosen, said", [
    ({}, ""),
    ({"waves_per_eu": 0, "matrix_instr_nonkdim": 16, "kpack": 2}, ", waves_per_eu=0, matrix_instr_nonkdim=16, kpack=2"),
    ({"enable_fp_fusion": False, "debug": True}, ", debug=True, enable_fp_fusion=False"),
])
def test_options_of_this_backend(chosen, said):
    """What autotuners of AMD GPUs vary tells kernels apart; what is as ever is not said."""
    options = Options(**{"enable_fp_fusion": True, "arch": "gfx90a", "llvm_fn_attrs": (), **chosen})
    assert specialisation.name(source({"x": "*fp32"}, {}, None, ["x"]), options) == f"add<x=*fp32, num_warps=4{said}>"


def test_members_of_tuples():
    """They are constants by their paths; a tuple of an argument and a constant stands in the signature."""
    name = specialisation.name(source({"x": ("*fp32", "constexpr")}, {(0, 1): 4}, None, ["x"]), types.SimpleNamespace())
    assert name == "add<x=('*fp32', 'constexpr'), x.1=4>"


class constexpr:  # noqa: N801
    """Triton's."""

    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("factor", [2, constexpr(2)])
def test_what_a_closure_has(factor):
    """Triton lists what a kernel uses of the function around it beside the globals that it uses."""
    def helper():
        pass

    def add(x):
        return helper(x) * factor

    s = source({"x": "*fp32"}, {}, None, ["x"])
    s.fn.fn, around = add, {"factor": factor}
    s.fn.used_global_vals = {("factor", id(around)): (factor, around), ("LOG2E", id(globals())): (1.44, globals())}
    assert specialisation.name(s, types.SimpleNamespace()) == "add<x=*fp32, factor=2, helper=helper>"


def test_no_attributes():
    assert specialisation.name(source({"x": "*fp32"}, {}, None), types.SimpleNamespace()) == "add<x=*fp32>"


def test_values_are_plain_text():
    def activation():
        pass

    name = specialisation.name(source({}, {"x": activation, "n": 'a"b\\c<\n>é', "BLOCK": "z" * 100}, {}), types.SimpleNamespace())
    assert re.fullmatch("add<x=activation, n=a[?]b[?]c[?]{4}, BLOCK=" + "z" * 52 + r"\.\.\.#[0-9a-f]{4}>", name)


def test_long_values():
    """Two layouts that differ behind what is shown are two kernels; an object's address, another one in each run, tells nothing."""
    def named(value):
        return specialisation.name(source({}, {"BLOCK": value}, {}), types.SimpleNamespace())

    layout = "BlockedLayout(size_per_thread=[1, 1], threads_per_warp=[{}], warps_per_cta=[4, 1], order=[1, 0])"
    assert named(layout.format("1, 64")) == named(layout.format("1, 64")) != named(layout.format("16, 4"))
    assert named("<" + "z" * 60 + " object at 0x7f0012>") == named("<" + "z" * 60 + " object at 0x7fab34>")


def test_source_without_function():
    assert specialisation.name("IR text", OPTIONS) is None
