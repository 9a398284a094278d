"""Tests of a binary made with GoogleTest: which there are, a seeded sample of them, and what came of it."""

import dataclasses
import hashlib
import json
import re

PASSED, FAILED, SKIPPED, TIMED_OUT, CRASHED = "passed", "failed", "skipped", "timed out", "crashed"


@dataclasses.dataclass(frozen=True)
class Outcome:
    binary: str
    test: str
    verdict: str
    reason: str = ""
    seconds: float = 0


def list_options(chosen):
    return ["--gtest_list_tests", *([f"--gtest_filter={chosen}"] if chosen else [])]


def run_options(names, result):
    chosen = ":".join(names).replace("-", "?")  # a dash begins what is left out
    return [f"--gtest_filter={chosen}", f"--gtest_output=json:{result}"]


def parse_list(text, chosen):
    """Names from --gtest_list_tests: suites end in a dot, their tests are indented; comments follow #. The binary has
    already left out what `chosen` leaves out."""
    names, suite = [], None
    for line in text.splitlines():
        word = line.split("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", word):
            suite = word
        elif suite and word.startswith("  ") and " " not in word.strip():
            names.append(suite + word.strip())
    return [n for n in names if "DISABLED_" not in n]


def sample(names, count, seed):
    """`count` of them, always the same for one seed, however many others there are."""
    ordered = sorted(names, key=lambda n: hashlib.sha256(f"{seed} {n}".encode()).digest())
    return sorted(ordered[:count])


def parse_results(binary, text):
    """{test: Outcome} from --gtest_output=json."""
    found = {}
    for suite in json.loads(text).get("testsuites", []):
        for test in suite.get("testsuite", []):
            name = f"{suite['name']}.{test['name']}"
            verdict, reason = PASSED, ""
            if test.get("failures"):
                verdict, reason = FAILED, " ".join(test["failures"][0]["failure"].split())[:300]
            elif test.get("result") == "SKIPPED" or test.get("status") == "NOTRUN":
                verdict = SKIPPED
            found[name] = Outcome(binary, name, verdict, reason, float(test.get("time", "0s").rstrip("s")))
    return found


def ended(binary, text):
    """{test: Outcome} of those that passed, from the output of a run that did not end."""
    return {n: Outcome(binary, n, PASSED) for n in re.findall(r"^\[       OK \] (\S+)", text, re.M)}
