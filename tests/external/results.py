"""The results file, and the table that is printed."""

import collections
import json
import os
import re

import verdicts


KINDS = ("plain", "weak", "profile", "lines", "summary")  # of runs and comparisons


class Store:
    """Results by program name; written after each program, so that a run that is stopped can go on."""

    def __init__(self, path, again=None):
        self.path, self.entries = path, {}
        if path and path.exists():
            self.entries = json.loads(path.read_text())
        if again:
            self.entries = {n: e for n, e in self.entries.items() if not _matches(e, again)}

    def has(self, name, kinds):
        """Whether the program need not run for these kinds. Others than `plain` count only where a plain run ended, and
        comparisons only where there was something to compare."""
        entry = self.entries.get(name)
        if not entry or "status" not in entry["plain"]:
            return bool(entry)
        ended = {k for k in entry if entry[k]["verdict"] in (verdicts.PASSED, verdicts.UNCHECKED)}
        needs = {"weak": "plain", "lines": "profile", "summary": "profile"}
        return not any(k not in entry and needs.get(k, k) in {*ended, k} for k in kinds)

    def add(self, name, entry):
        self.entries[name] = entry
        if self.path:
            temporary = self.path.with_name(self.path.name + ".new")
            temporary.write_text(json.dumps(self.entries, indent=1, sort_keys=True))
            os.replace(temporary, self.path)


def _matches(entry, regex):
    return any(re.search(regex, f"{run['verdict']}: {run['reason']}") for run in entry.values())


def line(name, entry):
    words = []
    for kind, run in entry.items():
        seconds = f" {run['seconds']:.1f} s" if "seconds" in run else ""
        words.append(f"{kind}: {run['verdict']}{seconds}" + (f" ({run['reason']})" if run["reason"] else ""))
    return f"{name}  {'; '.join(words)}"


def good(entries, strict=False):
    """Nothing failed; strict: everything passed."""
    found = {run["verdict"] for e in entries.values() for run in e.values()}
    return found == {verdicts.PASSED} if strict else verdicts.FAILED not in found


def _totals(entries, kind):
    counts = collections.Counter(e[kind]["verdict"] for e in entries.values() if kind in e)
    total = sum(counts.values())
    rows = [f"  {v:14}{counts[v]:5}{100 * counts[v] / total:7.1f} %" for v in verdicts.VERDICTS if counts[v]]
    ended = counts[verdicts.PASSED] + counts[verdicts.UNCHECKED] + counts[verdicts.FAILED]
    judged = counts[verdicts.PASSED] + counts[verdicts.FAILED]
    if judged:
        share, of_all = 100 * counts[verdicts.PASSED] / judged, 100 * (ended - counts[verdicts.FAILED]) / ended
        rows.append(f"  of those that compiled and ended in time, {of_all:.1f} % did not fail;")
        rows.append(f"  of those among them that judge their results, {share:.1f} % passed")
    return [f"{kind}: {total} programs", *rows]


def table(entries, verbose):
    """Every program that did not pass (with `verbose`, every one), and the totals."""
    silent = () if verbose else (verdicts.PASSED, verdicts.UNCHECKED)
    lines = [line(n, e) for n, e in sorted(entries.items()) if any(r["verdict"] not in silent for r in e.values())]
    for kind in KINDS:
        if any(kind in e for e in entries.values()):
            lines += ["", *_totals(entries, kind)]
    return "\n".join(lines)
