"""Whether the original kernel beside the clone is, byte for byte, the one that Triton makes without us."""

import re

# Numbers of labels and of debug sections count over the whole file, in which the clone stands, too.
_LABEL = re.compile(r"\.L(\w*?)(\d+)(_\d+)?\b")
_NOT_CODE = re.compile(r"^\s*(?:\.(?:loc|file|cfi_\w+|section|p2align|size|type|weak|globl|protected|hidden)\b|;|//)")


def _body(assembly, kernel):
    """Instructions of the kernel in assembly text, one a line, labels numbered from 0."""
    start = re.search(rf"^{re.escape(kernel)}:", assembly, re.M)
    end = re.compile(r"^\.Lfunc_end\d+:", re.M).search(assembly, start.end()) if start else None
    if not end:
        return None
    numbers = {}

    def number(match):
        return ".L%d" % numbers.setdefault(match.group(0), len(numbers))

    lines = []
    for line in assembly[start.end() : end.start()].splitlines():
        line = line.split(";")[0].rstrip()
        if not line or _NOT_CODE.match(line) or re.match(r"^\.Ltmp\d+:", line):
            continue
        lines.append(_LABEL.sub(number, line))
    return lines


def _descriptor(assembly, kernel):
    """The kernel's descriptor: registers, LDS, what the hardware is told."""
    found = re.search(rf"^\s*\.amdhsa_kernel {re.escape(kernel)}\n(.*?)^\s*\.end_amdhsa_kernel", assembly, re.M | re.S)
    return [line.strip() for line in found.group(1).splitlines()] if found else None


def difference(stock, instrumented, kernel):
    """None when code and descriptor of the kernel are the same in both texts, else what differs first."""
    for what, part in (("code", _body), ("descriptor", _descriptor)):
        a, b = part(stock, kernel), part(instrumented, kernel)
        if a is None or b is None:
            return f"its {what} was not found"
        for x, y in zip(a, b):
            if x != y:
                return f"{what}: '{x.strip()}' became '{y.strip()}'"
        if len(a) != len(b):
            return f"{what}: {len(a)} lines became {len(b)}"
    return None
