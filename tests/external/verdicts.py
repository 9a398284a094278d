"""Decides from a program's output and exit status whether it passed.

A program fails if it ends by a signal, exits with another code than 0, or says so. It passes if it claims success.
One that exits with 0 and claims nothing is "unchecked": it ran, and no one compared its results. One that gives up
because it cannot open a file, or start a command, was not run: suites keep large input data elsewhere.
"""

import os
import re

PASSED, UNCHECKED, FAILED = "passed", "unchecked", "failed"
TIMED_OUT, NOT_COMPILED, NOT_RUN = "timed out", "not compiled", "not run"
VERDICTS = (PASSED, UNCHECKED, FAILED, TIMED_OUT, NOT_COMPILED, NOT_RUN)

SUCCESS = re.compile(
    r"\b(pass(ed|es)?|success(ful|fully)?|succeeded|ok|correct(ly)?|match(es)?|matched|verified|identical)\b", re.I
)
FAILURE = re.compile(
    r"\b(fail(ed|s|ure|ures)?|mismatch(es|ed)?|incorrect(ly)?|wrong|errors?|not\s+(passed|correct|verified|match\w*)"
    r"|un(successful|verified)|inaccurate|(do|does|did)(n't| not) match)\b",
    re.I,
)
_BAD = r"(fail(ed|ures?)?|mismatch(es|ed)?|incorrect|wrong|errors?)"
# "0 errors", "no mismatches found", "failed: 0"
NONE = re.compile(rf"\b(0|no|zero|without)\s+(\w+\s+)?{_BAD}\b|\b{_BAD}\b[^\d:=\n]*[:=]\s*0+(\.0*)?(?![\d.e])", re.I)
# "max error: 1.2e-7", "L2 error = 0.3", "error rate 0.1": a measure, which the program judges (or nobody does).
MEASURE = re.compile(
    r"\berror\b(\s*\(\w+\))?[^\d:=\n]{0,40}([:=(]|\bis\b)\s*[-+]?(\d|\.\d|nan\b|inf\b)"
    r"|\b(relative|absolute|rel|abs|max|maximum|min|mean|average|avg|total|rms|rmse|mse|l1|l2|norm|residual|squared?)"
    r"[\w .()]{0,24}\berrors?\b|\berror\s+(statistics|rate|bound|norm|tolerance|threshold|margin|correct\w*)\b",
    re.I,
)
NO_INPUT = re.compile(
    r"\b((cannot|can't|can not|could not|couldn't|failed to|unable to|not able to) (open|read|load|find)"
    r"|error (opening|reading|loading))\b[^\n]*(file|\bdb\b|[./]\w+)"
    r"|No such file or directory|\b(file|images?|input|data)\b[^\n]* (not|cannot be) (opened|found|read)\b"
    r"|\binvalid in(put )?file\b",
    re.I,
)
NO_COMMAND = re.compile(r"^sh: \d+: (\S+): not found$", re.M)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # the m would be a letter before the word
RUNTIME = re.compile(r"\bhip\s*error|hipError(?!_t)\w+|HSA_STATUS_ERROR", re.I)


def _says_failure(line):
    if RUNTIME.search(line) and not NONE.search(line):
        return True
    rest = MEASURE.sub(" ", NONE.sub(" ", line))
    return bool(FAILURE.search(rest))


def judge(output, status, expected=None):
    """(verdict, reason). `status`: as subprocess gives it, negative for signals. `expected`: regular expression that
    stands for success instead of the words above (from the sizes table).
    """
    output = COLOUR.sub("", output)
    missing = NO_INPUT.search(output) if status else None
    if missing and "/dev/" not in missing[0]:
        return NOT_RUN, f"no input: {missing[0]}"
    command = NO_COMMAND.search(output) if status else None
    if command:
        return NOT_RUN, f"no command {command[1]}"
    bad = next((line.strip() for line in output.splitlines() if _says_failure(line)), None)
    if status < 0 or 128 < status <= 128 + 64:  # a shell's way to tell a signal
        signal = -status if status < 0 else status - 128
        return FAILED, f"signal {signal}" + (f": {bad}" if bad else "")
    if status:
        return FAILED, f"exit code {status}" + (f": {bad}" if bad else "")
    if expected:
        return (PASSED, "") if re.search(expected, output) else (FAILED, f"does not print {expected}")
    if bad:
        return FAILED, bad
    return (PASSED, "") if SUCCESS.search(output) else (UNCHECKED, "")


def absent_input(script, folder):
    """The first path into a neighbouring folder that a command of the script names, and that leads nowhere. Nobody writes
    there: it is input, and a program that fails without it, or ends without a word, was not run. A script that goes to
    another folder means other paths, and what it looks for first (test -f) it can do without.
    """
    if re.search(r"\bcd\s", script):
        return None
    paths = re.findall(r"(?<![\w./-])\.\./[\w.+/-]*[\w+/-]", script)
    looked_for = re.findall(r"(?:\[|\btest)\s+-[ef]\s+\"?([\w.+/-]+)", script)
    return next((p for p in paths if p not in looked_for and not os.path.exists(os.path.join(folder, p))), None)


_TIMED = re.compile(
    r"\b(time[ds]?|timing|elapsed|duration|secs?|seconds?|msecs?|usecs?|ms|us|ns|s|hz|[kmgt]?i?b/s(ec)?|bandwidth"
    r"|throughput|speed\w*|[gmt]?flop\w*|rate|performance|fps|cycles|pid|date|average)\b|\d(ms|us|ns|s)\b|/s(ec)?\b",
    re.I,
)


def comparable(output):
    """The lines that two runs of a program should share: those that speak of no time, speed, path or address."""
    return [
        line.rstrip()
        for line in output.splitlines()
        if not _TIMED.search(line) and not re.search(r"0x[0-9a-f]{6,}|^lanescope: |/tmp/", line)
    ]
