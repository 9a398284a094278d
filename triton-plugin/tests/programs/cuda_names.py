"""Tensors of torch by the name "cuda", as tutorials of Triton 3.2 make them."""

import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


n = 1000
torch.manual_seed(0)
x, y = torch.rand(n, device="cuda"), torch.ones(n, device=torch.device("cuda", 0))
out = torch.empty_like(x)
assert x.is_cuda and y.is_cuda and out.is_cuda
before = x.cpu()
add[(4,)](x, y, out, n, BLOCK=256)
torch.cuda.synchronize()
assert torch.equal(out.cpu(), before + 1)

# What is copied between devices is another tensor afterwards.
here = torch.zeros(n)
for there in (here.cuda(), here.to("cuda"), here.to(device="cuda:0", dtype=torch.float32), x.new_zeros(n).to("cuda", torch.float32)):
    add[(4,)](x, y, there, n, BLOCK=256)
    assert torch.equal(there, out) and not here.any()
kept = out.to("cpu")
add[(4,)](out, y, out, n, BLOCK=256)
assert torch.equal(kept + 1, out)
assert torch.cuda.current_device() == 0 and here.to(torch.int32).dtype == torch.int32

# As Triton's tutorials measure.
stream = torch.cuda.Stream()
torch.cuda.set_stream(stream)
with torch.cuda.stream(stream):
    begin, end = torch.cuda.Event(enable_timing=True), stream.record_event()
    begin.record()
    add[(4,)](x, y, out, n, BLOCK=256)
    end.record()
torch.cuda.current_stream().synchronize()
assert begin.elapsed_time(end) > 0 and torch.equal(out.cpu(), before + 1)

layer = torch.nn.Linear(4, 4).to("cuda")
assert layer(torch.ones(2, 4, device="cuda")).shape == (2, 4)
print("right")
