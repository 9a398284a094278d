"""Lines on stderr, each once in a process."""

import contextlib
import sys

_said = set()


def say(text):
    """One line, as every other of Lanescope's; the same text is said once."""
    say_once(text, text)


def say_once(what, text):
    """One line; no other for the same `what` comes after it. Whether it was said now."""
    if what in _said:
        return False
    _said.add(what)
    text = " ".join(str(text).split())
    with contextlib.suppress(Exception):  # stderr may be closed
        sys.stderr.write(f"lanescope: {text}\n")
    return True


@contextlib.contextmanager
def told(consequence):
    """What goes wrong inside becomes one line that ends in the consequence; the program goes on."""
    try:
        yield
    except Exception as e:  # noqa: BLE001
        say(f"Triton: {type(e).__name__}: {e}; {consequence}")
