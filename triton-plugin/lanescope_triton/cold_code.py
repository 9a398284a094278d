"""The machine code that only our other machine code calls (llvm-pass/ls_pass_ready.c): the same in all kernels of a GPU, and longer
than most of them. As text of a string it took code generation a fifth of its time, so it goes round it: the server leaves a
stand-in in the IR (LS_COLD_STAND_IN in llvm-pass/ls_pass.h)."""

import re

# As assemblers of all versions write it.
_STAND_IN = re.compile(r'^[ \t]*\.ascii[ \t]+"lanescope: cold code"$', re.M)


class Unknown(ValueError):
    """The text is not as we know it; it says what is not."""


def taken_from(answer):
    """IR, and what its stand-in stands for, or None: the two parts of what the server answers."""
    ir, _, cold = answer.partition("\0")
    return ir, cold or None


def put_into(assembly, cold):
    """Where the stand-in is."""
    if cold is None:
        return assembly
    places = _STAND_IN.findall(assembly)
    if len(places) != 1:
        raise Unknown(f"the place of the cold code is there {len(places)} times")
    return assembly.replace(places[0], cold.lstrip("\n"))
