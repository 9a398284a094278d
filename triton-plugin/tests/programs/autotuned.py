"""A kernel of which Triton's autotuner chooses one of two configurations, after a third was pruned, launched twice, and one that do_bench measures, without torch."""

import numpy
import triton
import triton.language as tl
from lanescope_triton import arrays


def not_longer_than_data(configs, arguments, **_):
    return [c for c in configs if c.kwargs["BLOCK"] <= arguments["n"]]


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((64, 1), (256, 2), (2048, 2))], key=["n"],
                 prune_configs_by={"early_config_prune": not_longer_than_data})
@triton.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


n = 1000
x, out = arrays.to_gpu(numpy.arange(n, dtype=numpy.float32)), arrays.zeros(n)
for _ in range(2):
    double[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
assert (out.numpy() == numpy.arange(n) * 2).all()


@triton.jit
def half(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) / 2)


def measured(**options):
    return triton.testing.do_bench(lambda: half[(1,)](x, out, 64), warmup=1, rep=1, **options)


low, high = measured(quantiles=[0.2, 0.8])
assert 0 < low <= high and min(measured(return_mode=mode) for mode in ("min", "max", "mean", "median")) > 0
assert measured(return_mode="all") and (out.numpy()[:64] == numpy.arange(64) / 2).all()
print(double.best_config.kwargs["BLOCK"])
