"""What Triton's benchmarks ask torch for: events, streams, and memory that empties caches. On the software GPU time is the host's, and
there are no caches."""

import statistics
import time

from . import hip

RUNS = 3  # of each configuration of an autotuner


class Event:
    """As torch.cuda.Event: a moment, when all that was launched before has ended."""

    def __init__(self, enable_timing=True):
        self._at = None

    def record(self, stream=None):
        hip.wait()
        self._at = time.perf_counter()

    def elapsed_time(self, end):
        """Milliseconds until that one."""
        return (end._at - self._at) * 1e3

    def synchronize(self):
        hip.wait()


class Stream:
    """As torch.cuda.Stream: the only one that there is, with work that has ended whenever a launch returns."""

    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def synchronize(self):
        hip.wait()

    def wait_stream(self, stream):
        pass

    wait_event = wait_stream

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


_stream = Stream()


def current_stream(device=None):
    """As torch.cuda.current_stream."""
    return _stream


def set_stream(stream):
    """As torch.cuda.set_stream."""


def stream(which):
    """As torch.cuda.stream, for `with`."""
    return _stream


def synchronize(device=None):
    """As torch.cuda.synchronize."""
    hip.wait()


def current_device():
    return 0


class Cache:
    """Instead of a tensor that is larger than all caches."""

    def zero_(self):
        return self


def bench(function, warmup=None, rep=None, quantiles=None, **_):
    """As triton.testing.do_bench, with few runs: milliseconds, the median or these quantiles."""
    function()
    times = []
    for _ in range(RUNS):
        begin, end = Event(), Event()
        begin.record()
        function()
        end.record()
        times.append(begin.elapsed_time(end))
    times.sort()
    if quantiles is None:
        return times[len(times) // 2]
    return [times[min(int(q * len(times)), len(times) - 1)] for q in quantiles]


class _Number(float):
    def item(self):
        return float(self)


class _Numbers(list):
    def tolist(self):
        return list(self)


def _quantiles(times, quantiles):
    """Between neighbours on a straight line, as torch.quantile."""
    times, found = sorted(times), _Numbers()
    for q in quantiles:
        at = q * (len(times) - 1)
        low = int(at)
        high = min(low + 1, len(times) - 1)
        found.append(times[low] + (times[high] - times[low]) * (at - low))
    return found


def _statistic(function):
    return lambda times: _Number(function(times))


# What triton.testing.do_bench of Triton 3.2 asks torch for to sum its times up; later ones do that themselves.
STATISTICS = {
    "tensor": lambda numbers, dtype=None: _Numbers(numbers), "float": float, "quantile": _quantiles,
    "min": _statistic(min), "max": _statistic(max), "mean": _statistic(statistics.fmean), "median": _statistic(statistics.median_low),
}
