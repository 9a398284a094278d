"""The machine code that only our other machine code calls (llvm-pass/ls_pass_ready.c): the same in all kernels of a GPU, and longer
than most of them. As text of a string it took code generation a fifth of its time, so it goes round it."""

import re

_FUNCTION = "\ndefine internal void @__ls_cold() "
_BEGIN = 'asm sideeffect "'
_STAND_IN = "lanescope: cold code"
# In its place, as IR and as assemblers of all versions write it.
_IN_IR = rf"\0A\09.ascii \22{_STAND_IN}\22"
_IN_ASSEMBLY = re.compile(rf'^[ \t]*\.ascii[ \t]+"{_STAND_IN}"$', re.M)


class Unknown(ValueError):
    """The text is not as we know it; it says what is not."""


def _as_written(escaped):
    """What a string of IR stands for: of its own escapes ours has line ends, tabs, quotes and backslashes alone."""
    text = escaped.replace("\\\\", "\0").replace("\\0A", "\n").replace("\\09", "\t").replace("\\22", '"')
    if "\\" in text or "$" in text:  # "$" begins what inline assembly replaces
        raise Unknown("the cold code has other characters than expected")
    return text.replace("\0", "\\")


def taken_from(ir):
    """The IR with a stand-in for the cold code, and its assembly; the IR as it is, and None, when it has none."""
    function = ir.find(_FUNCTION)
    if function < 0:
        return ir, None
    begin = ir.index(_BEGIN, function) + len(_BEGIN)
    end = ir.index('"', begin)
    return ir[:begin] + _IN_IR + ir[end:], _as_written(ir[begin:end])


def put_into(assembly, cold):
    """Where the stand-in is."""
    if cold is None:
        return assembly
    places = _IN_ASSEMBLY.findall(assembly)
    if len(places) != 1:
        raise Unknown(f"the place of the cold code is there {len(places)} times")
    return assembly.replace(places[0], cold.lstrip("\n"))
