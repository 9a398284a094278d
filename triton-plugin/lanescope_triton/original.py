"""Whether the original kernel beside the clone is, byte for byte, the one that Triton makes without us."""

import re

# Numbers of labels and of debug sections count over the whole file, in which the clone stands, too.
_LABEL = re.compile(r"\.L(\w*?)(\d+)(_\d+)?\b")
_NOT_CODE = re.compile(r"^\s*(?:\.(?:loc|file|cfi_\w+|section|p2align|size|type|weak|globl|protected|hidden)\b|;|//)")
# What of a line is no code, at first sight.
_ASIDE = re.compile(r"^[ \t]*(?:\.loc\b|;)[^\n]*\n|[ \t]*;[^\n]*", re.M)


def _text(assembly, kernel):
    """What the assembly has of the kernel; None: it was not found."""
    start = re.search(rf"^{re.escape(kernel)}:", assembly, re.M)
    end = re.compile(r"^\.Lfunc_end\d+:", re.M).search(assembly, start.end()) if start else None
    return assembly[start.end() : end.start()] if end else None


def _body(assembly, kernel):
    """Instructions of the kernel in assembly text, one a line, labels numbered from 0."""
    text = _text(assembly, kernel)
    if text is None:
        return None
    numbers = {}

    def number(match):
        return ".L%d" % numbers.setdefault(match.group(0), len(numbers))

    lines = []
    for line in text.splitlines():
        line = line.split(";")[0].rstrip()
        if not line or _NOT_CODE.match(line) or re.match(r"^\.Ltmp\d+:", line):
            continue
        lines.append(_LABEL.sub(number, line))
    return lines


def _descriptor(assembly, kernel):
    """The kernel's descriptor: registers, LDS, what the hardware is told."""
    _, _, rest = assembly.partition(f"\t.amdhsa_kernel {kernel}\n")
    text, end, _ = rest.partition("\t.end_amdhsa_kernel")
    return [line.strip() for line in text.splitlines()] if end else None


def difference(stock, instrumented, kernel):
    """None when code and descriptor of the kernel are the same in both texts, else what differs first."""
    texts = [_text(assembly, kernel) for assembly in (stock, instrumented)]
    same = None not in texts and _ASIDE.sub("", texts[0]) == _ASIDE.sub("", texts[1])  # mostly, and sooner known than by lines
    for what, part in (("code", _body), ("descriptor", _descriptor))[same:]:
        a, b = part(stock, kernel), part(instrumented, kernel)
        if a is None or b is None:
            return f"its {what} was not found"
        for x, y in zip(a, b):
            if x != y:
                return f"{what}: '{x.strip()}' became '{y.strip()}'"
        if len(a) != len(b):
            return f"{what}: {len(a)} lines became {len(b)}"
    return None
