"""ggml's test-backend-ops, which prints a line for each case, and compares with the CPU: OP(parameters): OK."""

import re

import gtest

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CASE = re.compile(r"^\s*([A-Z][A-Z0-9_]*\(.*\)): (.*)$")


def parse(binary, text):
    """Outcomes, in order. A case that has no answer is where the run stopped: its verdict is CRASHED."""
    outcomes = []
    for line in COLOUR.sub("", text).splitlines():
        case = CASE.match(line)
        if not case:
            continue
        name, answer = case[1], case[2].strip()
        if "not supported" in answer:
            verdict = gtest.SKIPPED
        elif answer.endswith("FAIL"):
            verdict = gtest.FAILED
        else:
            verdict = gtest.PASSED if answer.endswith("OK") else gtest.CRASHED
        outcomes.append(gtest.Outcome(binary, name, verdict, "" if verdict == gtest.PASSED else answer[:300]))
    return outcomes
