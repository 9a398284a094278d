"""LLVM's text differs between the LLVM inside a Triton and the one that our plugin is built for. Two tables of rules say
what has to be rewritten on the way there (READ) and back (WRITE); each rule names the versions that need it, and why."""

import re
import struct
from collections import namedtuple

# From the first to before the last version of Triton; None: no limit. `change` takes and returns the whole text.
Rule = namedtuple("Rule", "name first last change reason")

class Unreadable(ValueError):
    """What cannot be brought to LLVM 22's text and back; the text says why."""


_SCALAR = r"(?:half|bfloat|float|double)"
_LITERAL = re.compile(
    r"(?<![\w.%@$\"!#-])"
    r"([+-]?(?:inf|qnan|nan\(0x[0-9a-fA-F]+\)|snan\(0x[0-9a-fA-F]+\))|f0x[0-9a-fA-F]+|[+-]?\d+\.\d*(?:[eE][+-]?\d+)?)"
    r"(?![\w.])"
)
_WIDTH = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
_MANTISSA = {"half": 10, "bfloat": 7, "float": 23, "double": 52}


def _decimal_bits(kind, value):
    if kind == "bfloat":  # rounded to nearest even from float
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    form, word = {"half": ("<e", "<H"), "float": ("<f", "<I"), "double": ("<d", "<Q")}[kind]
    return struct.unpack(word, struct.pack(form, value))[0]


def literal_bits(kind, literal):
    """Bits of a literal of newer LLVM ("f0x3F800000", "-inf", "0.1") as that type has them."""
    if literal.startswith("f0x"):
        return int(literal[3:], 16)
    width, mantissa = _WIDTH[kind], _MANTISSA[kind]
    sign = 1 << (width - 1) if literal[0] == "-" else 0
    exponent = ((1 << (width - 1 - mantissa)) - 1) << mantissa
    body = literal.lstrip("+-")
    if body == "inf":
        return sign | exponent
    if body == "qnan":
        return sign | exponent | 1 << (mantissa - 1)
    if body.startswith("nan("):
        return sign | exponent | 1 << (mantissa - 1) | int(body[4:-1], 16)
    if body.startswith("snan("):
        return sign | exponent | int(body[5:-1], 16)
    return _decimal_bits(kind, float(literal))


def old_literal(kind, literal):
    """The same value as LLVM 22 reads it: hexadecimal, float as the double of the same value (LangRef, "Simple
    Constants")."""
    try:
        bits = literal_bits(kind, literal)
    except (OverflowError, struct.error):
        bits = -1
    if bits < 0 or bits >> _WIDTH[kind]:
        raise Unreadable(f"{literal[:40]} is no number of type {kind}")
    if kind == "half":
        return "0xH%04X" % bits
    if kind == "bfloat":
        return "0xR%04X" % bits
    if kind == "double":
        return "0x%016X" % bits
    if (bits >> 23) & 255 == 255:  # infinities and NaNs: the payload moves up
        return "0x%016X" % ((bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29)
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return "0x%016X" % struct.unpack("<Q", struct.pack("<d", value))[0]


def _old_literals_of_line(line):
    if line.startswith(("!", "attributes", ";", "source", "target data")) or not _LITERAL.search(line):
        return line

    def replace(match):
        before = line[: match.start()]
        near = re.search(rf"\b({_SCALAR})>?\s*$", before)
        all_types = re.findall(rf"\b({_SCALAR})\b", before)
        if not near and not all_types:
            return match.group(0)
        # "splat (float 1.0)" names its type just before; operands of an operation share the first one named.
        kind = near.group(1) if near else all_types[0]
        return old_literal(kind, match.group(1))

    return _LITERAL.sub(replace, line)


def _old_literals(text):
    return "\n".join(map(_old_literals_of_line, text.split("\n")))


# Copies to LDS whose end the program waits for by marks: "load.async.lds", "load.async.to.lds". Those without "async"
# take the same arguments.
_ASYNC = re.compile(r"@llvm\.amdgcn\.([\w.]*\bload)\.async\.((?:to\.)?lds)\b")
_SYNC = re.compile(r"@llvm\.amdgcn\.([\w.]*\bload)\.((?:to\.)?lds)\b")


def _without_async(text):
    if _ASYNC.search(text) and _SYNC.search(text):
        raise Unreadable("it copies to LDS in both ways, asynchronous and not, which LLVM 22 cannot tell apart")
    return _ASYNC.sub(r"@llvm.amdgcn.\1.\2", text)


# Where a buffer is described: the kinds of pointers, what stands up to the size, the size.
_RESOURCE = re.compile(r"(@llvm\.amdgcn\.make\.buffer\.rsrc\.)((?:p8\.)?)(p\d+\((?:[^()]|\(\d+\))*?\bi16(?: \S+)?, )(i32|i64)( [^\s,]+)?(?=, i32)")


def _size(match, kind):
    """The size as that kind of number has it; none in a declaration."""
    size = (match.group(5) or "").strip()
    if size and not re.fullmatch(r"-?\d+", size):
        raise Unreadable("it computes the size of a buffer in 32 bits, which LLVM 22 has in 64")
    bits = int(size or 0) & 0xFFFFFFFF
    return size and f" {bits - (1 << 32) if kind == 'i32' and bits >> 31 else bits}"


def _long_sizes(text):
    def replace(match):
        before, _, middle, kind, _ = match.groups()
        return match.group(0) if kind == "i64" else f"{before}p8.{middle}i64{_size(match, 'i64')}"

    return _RESOURCE.sub(replace, text)


def _sizes_as_in(stock, text):
    """Back in the form that the stock text has."""
    form = _RESOURCE.search(stock)
    if not form or form.group(4) == "i64":
        return text
    return _RESOURCE.sub(lambda m: f"{m.group(1)}{form.group(2)}{m.group(3)}i32{_size(m, 'i32')}", text)


def _remover(pattern):
    compiled = re.compile(pattern, re.M)
    return lambda text: compiled.sub("", text)


def _replacer(pattern, by):
    compiled = re.compile(pattern, re.M)
    return lambda text: compiled.sub(by, text)


READ = (
    Rule("float-literals", (3, 7), None, _old_literals,
         "LLVM 23 writes f0x..., +inf and shortest decimals, which LLVM 22 does not read"),
    Rule("triple", (3, 9), None, _replacer(r'^target triple = "amdgpu[\w.]*-', 'target triple = "amdgcn-'),
         "LLVM 24 has the processor in the triple; restored on the way back"),
    Rule("target-memory", (3, 7), None, _replacer(r"\btarget_mem: (\w+)", r"target_mem0: \1, target_mem1: \1"),
         "LLVM 24 says in one word, in memory(...), what LLVM 22 says of each kind of a target's own memory"),
    Rule("buffer-sizes", None, (3, 5), _long_sizes,
         "LLVM 22 has the size of a buffer in 64 bits; restored on the way back"),
    Rule("async-copies", (3, 8), None, _without_async,
         "LLVM 22 knows copies to LDS but not their asynchronous form; restored on the way back"),
)

WRITE = (
    Rule("nocreateundeforpoison", None, (3, 7), _remover(r"nocreateundeforpoison ?"),
         "an attribute of LLVM 22 that its predecessors do not know"),
    # The first group is everything up to the attribute's number; probes are calls, and stay calls.
    Rule("noinline", None, None,
         _replacer(r"^(define (?!.*@__ls_k_)(?!.*\bnoinline\b).*@__ls_\w+\(.*\).*?)( #\d+)", r"\1 noinline\2"),
         "Triton's code generator inlines every function that does not forbid it"),
    Rule("one-kernel", None, None,
         _replacer(r"^define (?:protected )?amdgpu_kernel void @__ls_k_",
                   "define protected amdgpu_kernel void @__ls_k_"),
         "make_amdgcn finds the kernel by 'define amdgpu_kernel void @' and wants it once"),
)

_TRIPLE = re.compile(r"^target triple = .*$", re.M)


def _apply(rules, version, text):
    for rule in rules:
        if (rule.first is None or version >= rule.first) and (rule.last is None or version < rule.last):
            text = rule.change(text)
    return text


def for_plugin(text, version):
    """The .llir of a Triton (version: pair of numbers) as LLVM 22 reads it."""
    return _apply(READ, version, text)


def for_triton(text, version, stock):
    """What LLVM 22 wrote, as the code generator of that Triton reads it; `stock` is the text that it came from."""
    text = _apply(WRITE, version, text)
    if _ASYNC.search(stock):
        text = _SYNC.sub(r"@llvm.amdgcn.\1.async.\2", text)
    text = _sizes_as_in(stock, text)
    triple = _TRIPLE.search(stock)
    return _TRIPLE.sub(lambda _: triple.group(0), text, count=1) if triple else text
