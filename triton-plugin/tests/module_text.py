"""Where Triton's text of a module (.llir) accesses memory, in what Triton wrote itself, before any probe."""

import re

_INSTRUCTION = re.compile(r"^  +(.*?), !dbg !(\d+)", re.M)
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(DI\w+)\((.*)\)$", re.M)
_ACCESS = re.compile(r"\b(?:load|store|atomicrmw|cmpxchg) ")
# A call that is given no pointer and no buffer accesses nothing: barriers, tl.dot's matrix products.
_CALL = re.compile(r"\bcall .*?@([\w.$]+)\((.*)")


def _is_access(instruction):
    call = _CALL.search(instruction)
    return bool(re.search(r"\bptr\b", call[2]) or "buffer" in call[1] if call else _ACCESS.search(instruction))


def _memories(instruction):
    """Whether it accesses LDS: one answer, or both, of a copy to LDS; "transposed" where lanes exchange what they read there."""
    if re.search(r"@llvm\.amdgcn\.ds\.(read|load)\.tr", instruction):
        return {"transposed"}
    return {space == "3" for space in re.findall(r"\bptr(?: addrspace\((\d+)\))?", instruction)} or {False}


def accessed(text):
    """{(file name without directories, line, column, whether in LDS: see _memories)}"""
    nodes = {number: (kind, fields) for number, kind, fields in _NODE.findall(text)}

    def file(number):
        """Of a scope, which is that of the innermost one around it that has a file."""
        kind, fields = nodes[number]
        if kind == "DIFile":
            return re.search(r'filename: "([^"]*)"', fields)[1].rsplit("/", 1)[-1]
        return file((re.search(r"\bfile: !(\d+)", fields) or re.search(r"\bscope: !(\d+)", fields))[1])

    def place(number):
        fields = nodes[number][1]
        return file(re.search(r"\bscope: !(\d+)", fields)[1]), *(int(found[1]) if (found := re.search(rf"\b{name}: (\d+)", fields)) else 0
                                                               for name in ("line", "column"))

    return {(*place(number), lds) for instruction, number in _INSTRUCTION.findall(text) if _is_access(instruction)
            for lds in _memories(instruction)}


def accessed_in(folder):
    """The same of all modules that a run left in a cache."""
    return set().union(*(accessed(path.read_text()) for path in folder.glob("*/*.llir")))
