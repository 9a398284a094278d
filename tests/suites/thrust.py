"""Tests of a binary made with Thrust's own framework: how it is called, which tests there are, and what came of them."""

import fnmatch
import re

import gtest

RESULT = re.compile(r"\[(PASS|FAILURE|ERROR|KNOWN FAILURE)\][^\S\r\n]+(?:\S+ ms )?[^\S\r\n]*([^\r\n]*\S)")
VERDICTS = {"PASS": gtest.PASSED, "KNOWN FAILURE": gtest.SKIPPED}


def list_options(chosen):
    return ["--list"]


def parse_list(text, chosen):
    """Names from --list, one on each line, without those that a pattern of `chosen` leaves out: -PATTERN:PATTERN..."""
    out = chosen[1:].split(":") if chosen else []
    names = [line for line in text.splitlines() if re.match(r"[A-Za-z_]\w", line)]
    return [n for n in names if not any(fnmatch.fnmatchcase(n, p) for p in out)]


def run_options(names, result):
    return ["--verbose", "--sizes=medium", *names]


def ended(binary, text):
    """{test: Outcome} of those whose end is in the output of --verbose; a failure's message follows its line."""
    text = re.sub(r"^Running .*?\.\.\.", "", text, flags=re.M)
    found, parts = {}, list(RESULT.finditer(text))
    for this, following in zip(parts, parts[1:] + [None]):
        word, name = this.groups()
        verdict = VERDICTS.get(word, gtest.FAILED)
        message = text[this.end():following.start() if following else None] if verdict == gtest.FAILED else ""
        found[name] = gtest.Outcome(binary, name, verdict, " ".join(message.split())[:300])
    return found
