"""A client without ROCr: tinygrad's AMD backend opens /dev/kfd itself. Sums of whole numbers, which are exact, compared with Python."""
import sys

from tinygrad import Device, Tensor, TinyJit, dtypes

N = 64
a = [[(3 * i + 5 * j) % 7 - 3 for j in range(N)] for i in range(N)]
b = [[(2 * i + 11 * j) % 5 - 2 for j in range(N)] for i in range(N)]
product = [[sum(a[i][k] * b[k][j] for k in range(N)) for j in range(N)] for i in range(N)]


def check(name, got, expected):
    if got != expected:
        sys.exit(f"FAILED {name}")
    print("PASSED", name, flush=True)


check("add", (Tensor(a) + Tensor(b)).tolist(), [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)])
halves = Tensor(a, dtype=dtypes.half), Tensor(b, dtype=dtypes.half)
check("matrix cores", halves[0].matmul(halves[1], dtype=dtypes.float).tolist(), product)


@TinyJit
def step(x):
    return (x + 1).contiguous().realize()


x = Tensor([0, 10, 20], dtype=dtypes.int).realize()
for _ in range(6):  # the later ones replay recorded commands
    x = step(x.contiguous().realize())
check("graph", x.tolist(), [6, 16, 26])

devices = tuple(f"{Device.DEFAULT}:{i}" for i in range(2))
shards = Tensor(a).shard(devices, axis=0)
check("two GPUs", (shards @ Tensor(b).shard(devices)).sum(axis=0).tolist(), [sum(column) for column in zip(*product)])
