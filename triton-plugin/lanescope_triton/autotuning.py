"""Triton's autotuner measures the program's kernels, not our probes, and the report says what it chose."""

import contextlib
import functools
import threading

from . import messages, tool_library

_lock = threading.Lock()
_measuring = 0
_told = set()


@contextlib.contextmanager
def _measurement():
    global _measuring
    tool = tool_library.now()
    with _lock:
        _measuring += 1
        if tool:
            tool.lanescope_autotuner_measures(1)
    try:
        yield
    finally:
        with _lock:
            _measuring -= 1
            if tool and not _measuring:
                tool.lanescope_autotuner_measures(0)


def _tell(tuner):
    """What was chosen, once for each kernel and choice."""
    best = getattr(tuner, "best_config", None)
    if best is None or len(tuner.configs) < 2:
        return
    name = getattr(getattr(tuner, "base_fn", None), "__name__", "a kernel")
    measured = len(getattr(tuner, "configs_timings", None) or ())  # others were pruned
    part = f", {measured} of which it measured" if 0 < measured < len(tuner.configs) else ""
    text = f"the autotuner of {name} chose {best} among {len(tuner.configs)} configurations{part}"
    tool = tool_library.now()
    if tool and text not in _told:
        _told.add(text)
        tool.lanescope_note(text.encode())


def hook(module):
    """Called with triton.runtime.autotuner."""
    stock_bench, stock_run = module.Autotuner._bench, module.Autotuner.run

    @functools.wraps(stock_bench)
    def bench(self, *arguments, **keywords):
        with _measurement():
            return stock_bench(self, *arguments, **keywords)

    @functools.wraps(stock_run)
    def run(self, *arguments, **keywords):
        result = stock_run(self, *arguments, **keywords)
        with messages.told("the report does not say what the autotuner chose"):
            _tell(self)
        return result

    module.Autotuner._bench, module.Autotuner.run = bench, run
