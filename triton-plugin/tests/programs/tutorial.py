"""Runs one of Triton's tutorials, whose file stays as it is, in a time that suits a software GPU:
tutorial.py [--untuned] FILE [shape]...

- random numbers are the same in each run; with `--untuned` autotuners take their first configuration, and measure none;
- `triton.testing.do_bench` calls what it measures once;
- of each benchmark the first size is run, at most 512, with at most 64 rows;
- a tutorial whose tests wait for pytest (fused attention) is imported, and each `shape` is what its `test_op` gets:
  keyword=value,keyword=value,...;
- what torch computes beside layer norm is summed in float32, as on GPUs: on processors torch sums halves as halves, and misses
  the tutorial's own limits by five times.
"""

import ast
import runpy
import sys

import torch
import triton.testing as testing
from lanescope_triton import clock

LARGEST = {"M": 64}  # others: 512


def _small(name, value):
    return min(value, LARGEST.get(name, 512)) if isinstance(value, int) and not isinstance(value, bool) else value


class Benchmark(testing.Benchmark):
    def __init__(self, x_names, x_vals, *positional, args, **keywords):
        first = x_vals[0]
        values = first if isinstance(first, (tuple, list)) else [first] * len(x_names)
        values = [tuple(map(_small, x_names, values))]
        super().__init__(x_names, values, *positional, args={n: _small(n, v) for n, v in args.items()}, **keywords)


def once(function, *_, quantiles=None, **__):
    """As do_bench, but one call, whose time is not worth knowing."""
    function()
    return 1.0 if quantiles is None else [1.0] * len(quantiles)


def in_float32(function):
    def layer_norm(x, shape, weight, bias, eps):
        return function(x.float(), shape, weight.float(), bias.float(), eps).to(x.dtype)

    return layer_norm


def main(path, *shapes):
    torch.manual_seed(0)
    if path == "--untuned":
        clock.bench = lambda function, *_, quantiles=None, **__: 1.0 if quantiles is None else [1.0] * len(quantiles)
        path, *shapes = shapes
    testing.Benchmark, testing.do_bench = Benchmark, once
    torch.nn.functional.layer_norm = in_float32(torch.nn.functional.layer_norm)
    tutorial = runpy.run_path(path, run_name="tutorial" if shapes else "__main__")
    for shape in shapes:
        values = dict(part.split("=") for part in shape.split(","))
        tutorial["test_op"](**{k: ast.literal_eval(v) for k, v in values.items()})
        print(f"test_op({shape}) right")


main(*sys.argv[1:])
