"""A program of ours around a client: a line for each test, `PASSED name`, `SKIPPED name: why` or `FAILED name: why`."""

import re

import gtest

LINE = re.compile(r"^(PASSED|SKIPPED|FAILED) ([^:\n]+)(?:: (.*))?$", re.M)
VERDICTS = {"PASSED": gtest.PASSED, "SKIPPED": gtest.SKIPPED, "FAILED": gtest.FAILED}


def parse(name, text):
    return [gtest.Outcome(name, test, VERDICTS[word], (why or "")[:300]) for word, test, why in LINE.findall(text)]
