"""check.py FOLDER LANESCOPE - each page renders without warnings; there is one for each verb, which names exactly the options
of the verb's help, their variables, keys and defaults; the overview names the version, and each verb with its summary. Pages and docs/cli.md say each thing once."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

folder, lanescope = sys.argv[1:]
if not shutil.which("man"):
    sys.exit(77)
env = {k: v for k, v in os.environ.items() if not k.startswith("LANESCOPE_")}
env.update(LC_ALL="C.UTF-8", MANROFFSEQ="", MANWIDTH="80", HOME="/nonexistent", XDG_CONFIG_HOME="/nonexistent")


def call(*command):
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True)


def rendered(page):
    done = call("man", "--warnings", "--nh", "--nj", "-E", "UTF-8", "-l", "-Tutf8", os.path.join(folder, page))
    assert not done.stderr, f"{page}: {done.stderr}"
    text = re.sub(".\b", "", re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))
    assert len(text) > 400, page
    return text


def option_names(text):
    return set(re.findall(r"(?m)^ +(?:-\w, )?--([a-z][a-z-]*)", text)) - {"help", "usage", "version"}


def one_line(text):
    return " ".join(text.split())


def repeated(page, words=6):
    """What the description says twice."""
    description = re.search(r"(?s)\nDESCRIPTION\n(.*?)\n(?:[A-Z]|\Z)", page)
    said = re.findall(r"[\w'-]+", one_line(description[1]).lower()) if description else []
    runs = [" ".join(said[i:i + words]) for i in range(len(said) - words + 1)]
    return {run for run in runs if runs.count(run) > 1}


def runs(text, words=5):
    said = re.findall(r"[\w'-]+", one_line(text).lower())
    return {" ".join(said[i:i + words]) for i in range(len(said) - words + 1)}


def in_help(verb):
    return option_names(call(lanescope, verb, "--help").stdout)


document = pathlib.Path(__file__).parent.parent / "docs" / "cli.md"
of_document = runs("\n".join(line for line in document.read_text().splitlines() if not line.startswith("    ")))


def not_in_document(page, text):
    """The page is the reference; docs/cli.md shows what comes out. Neither says what the other does."""
    both = runs(text.replace("\u2010", "-").replace("\u2212", "-")) & of_document
    assert not both, f"{page} and docs/cli.md say: {sorted(both)}"


version = call(lanescope, "--version").stdout.split()[1]
verbs = dict(re.findall(r"(?m)^  ([a-z]+) +(.*)", call(lanescope, "--help").stdout.split("\n\n")[2]))
assert len(verbs) >= 16, verbs
assert set(os.listdir(folder)) >= {f"lanescope-{verb}.1.gz" for verb in verbs}
overview = rendered("lanescope.1")
assert f"Lanescope {version}" in overview
not_in_document("lanescope.1", overview)
of_run = in_help("run")
for verb, summary in verbs.items():
    page = rendered(f"lanescope-{verb}.1")
    assert f"lanescope-{verb}(1)" in overview and summary in one_line(overview), f"the overview lacks {verb}"
    assert f"lanescope-{verb} - {summary}" in one_line(page), f"{verb}: no name"
    assert not repeated(page), f"{verb}: {repeated(page)}"
    not_in_document(verb, page)
    shared = of_run if verb in ("gate", "config") else set()
    assert "lanescope-run(1)" in page or not shared, verb
    told = option_names(page.split("OPTIONS\n", 1)[1] if "\nOPTIONS\n" in page else "")
    assert told == in_help(verb) - shared, f"{verb}: {told ^ (in_help(verb) - shared)}"
    for usage in re.findall(r"(?m)^(?:Usage:|  or:) +(lanescope .+)$", call(lanescope, verb, "--help").stdout):
        usage = usage if told or shared else usage.replace(" [OPTION...]", "")
        assert usage in one_line(page), f"{verb}: {usage}"
page = one_line(rendered("lanescope-run.1"))
rows = re.findall(r"(?m)^(\w+) +(\S+) +\S+ +(LANESCOPE_\w+)$", call(lanescope, "config").stdout)
assert len(rows) > 30, rows
for key, value, variable in rows:
    said = re.search(rf"{variable}(?:=\w+)?, {key}(?: \(default: (\S+)\))?\.", page)
    assert said, f"run: {variable}, {key} is not told"
    assert said[1] == value or (not said[1] and value in ("-", "true", "false")), f"run: {key}: {said[0]} is not {value}"
