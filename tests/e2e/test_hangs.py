"""A command that hangs is named with what its threads do, and ended with all that it started."""

import pytest

import hangs


def test_described_and_ended():
    with pytest.raises(AssertionError) as error:
        hangs.run(["sh", "-c", "echo before; sleep 1000 & wait"], 0.5)
    text = str(error.value)
    assert "has not ended after 0.5 s" in text and "before" in text
    assert text.count("\nprocess ") == 2  # the shell and its sleep
    assert " sleep: S, " in text


def test_ends():
    done = hangs.run(["sh", "-c", "cat; echo wrong >&2; exit 3"], 60, input="given")
    assert (done.returncode, done.stdout, done.stderr) == (3, "given", "wrong\n")
