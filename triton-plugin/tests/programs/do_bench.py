"""Measures a kernel with triton.testing.do_bench; its tensors are torch's."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


n = 1000
device = triton.runtime.driver.active.get_active_torch_device()
x, y, out = torch.arange(n, device=device), torch.ones(n, dtype=torch.int64, device=device), torch.zeros(n, dtype=torch.int64, device=device)
milliseconds = triton.testing.do_bench(lambda: add[(4,)](x, y, out, n, BLOCK=256), warmup=1, rep=5)
assert milliseconds > 0 and torch.equal(out, x + 1)
low, high = triton.testing.do_bench(lambda: add[(4,)](x, y, out, n, BLOCK=256), warmup=1, rep=5, quantiles=[0.2, 0.8])
assert 0 < low <= high
print("right")
