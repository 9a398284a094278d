"""Failures that have a cause, from known.tsv: suite, or suite and GPU; binary, test (patterns of fnmatch), verdict, cause."""

import csv
import fnmatch
import pathlib

TABLE = pathlib.Path(__file__).with_name("known.tsv")


def load(path=TABLE):
    with open(path) as f:
        rows = [r for r in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if r and not r[0].startswith("#")]
    for row in rows:
        if len(row) != 5 or not row[4]:
            raise ValueError(f"{path}: five columns, the last a cause, are expected: {row}")
    return rows


def cause(rows, suite, gpu, outcome):
    """The sentence, or None."""
    for name, binary, test, verdict, why in rows:
        if name in (suite, f"{suite} {gpu}") and verdict == outcome.verdict and fnmatch.fnmatchcase(outcome.binary, binary) \
                and fnmatch.fnmatchcase(outcome.test, test):
            return why
    return None
