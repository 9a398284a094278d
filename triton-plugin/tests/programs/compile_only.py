"""Compiles three kernels for each GPU that is named, without any GPU; prints a JSON object per kernel."""

import json
import re
import resource
import sys
import time
import types

sys.modules["torch"] = types.ModuleType("torch")  # some versions ask it whether an argument is a tensor
sys.modules["torch"].Tensor = type("Tensor", (), {})
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

VERSION = tuple(map(int, triton.__version__.split(".")[:2]))


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + c, e / tl.sum(e, axis=0), mask=c < columns)


@triton.jit
def matmul(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for t in range(0, n, BLOCK):
        x = tl.load(a + i[:, None] * n + (t + k)[None, :])
        y = tl.load(b + (t + k)[:, None] * n + j[None, :])
        sums += tl.dot(x, y)
    tl.store(c + i[:, None] * n + j[None, :], sums)


def source(kernel, signature, constants):
    if VERSION < (3, 3):
        return ASTSource(kernel, signature=signature, constants=constants)
    names = kernel.arg_names
    return ASTSource(fn=kernel, signature={n: signature.get(n, "constexpr") for n in names},
                     constexprs={(names.index(n),): v for n, v in constants.items()},
                     attrs={(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if n in signature})


KERNELS = [
    (add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1024}),
    (softmax, {"out": "*fp32", "x": "*fp32", "columns": "i32"}, {"BLOCK": 1024}),
    (matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "n": "i32"}, {"BLOCK": 32}),
]


def of_servers():
    """Processor seconds of the servers that instrument, which are no children: their first number in schedstat is nanoseconds."""
    serving = sys.modules.get("lanescope_triton.serving")
    pids = [server._pid for server in serving._idle if server._pid] if serving else []
    return sum(int(open(f"/proc/{pid}/schedstat").read().split()[0]) for pid in pids) / 1e9


def spent():
    """Processor seconds of this process and of the tools that it started."""
    own = sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    return own + of_servers()


for gpu in sys.argv[1:]:
    for kernel, signature, constants in KERNELS:
        before, began = spent(), time.perf_counter()
        made = triton.compile(source(kernel, signature, constants), target=GPUTarget("hip", gpu, 64),
                              options={"num_warps": 4})
        seconds, wall = spent() - before, time.perf_counter() - began
        note = re.search(r'\.asciz\t"(code=.*)"', made.asm["amdgcn"])
        lines = note.group(1).split("\\n") if note else None
        print(json.dumps({"gpu": gpu, "kernel": kernel.__name__, "clone": "__ls_k_" in made.asm["amdgcn"],
                          "note": lines, "seconds": seconds, "wall": wall}))
