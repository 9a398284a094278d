"""What the documentation names is what there is: tables and columns, metrics, options of handlers, keys of rows, variables."""

import json
import os
import re
import shutil
import sqlite3

import pytest

import profiling
from profiling import Profile

ROOT = profiling.SOURCE.parents[1]
DATABASE = (ROOT / "docs" / "database.md").read_text()
PAGES = {page.stem: page.read_text() for page in (ROOT / "docs" / "handlers").glob("*.md")}
HANDLERS = sorted(f.stem for f in (profiling.BUILD / "stage").glob("lib*/**/handlers/*.so"))


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    directory = tmp_path_factory.mktemp("all")
    names = ",".join("heatmap:sets=64" if h == "heatmap" else f"address_log:file={directory}/log.csv" if h == "address_log"
                     else h for h in HANDLERS)
    p = Profile(directory, programs("advice.hip", "-O3", "--lanescope-blocks"),
                options=("--handlers", names))
    assert (p.done.returncode, p.done.stdout) == (0, "PASSED\n"), p.done.stderr
    return p


def words_in_code(text):
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", text))))


def section(name):
    """The text under the heading that names a table; headings may name several."""
    parts = re.split(r"^##+ (.*)$", DATABASE, flags=re.M)
    found = [text for title, text in zip(parts[1::2], parts[2::2]) if name in re.split(r"[, ]+", title)]
    assert len(found) == 1, f"docs/database.md has {len(found)} sections on {name}"
    return found[0]


def test_columns(recorded):
    with sqlite3.connect(recorded.database) as db:
        objects = db.execute("SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view')"
                             " AND name NOT LIKE 'sqlite%'").fetchall()
        for kind, name in objects:
            text = section("Views") if kind == "view" else section(name.removeprefix("own_"))
            rows = [line for line in text.splitlines() if kind == "table" or f"| `{name}`" in line]
            known = words_in_code("\n".join(rows))
            if {"grid_x", "workgroup_z"} <= known or "grid and work-group" in "".join(rows):
                known |= {f"{w}_{axis}" for w in ("grid", "workgroup") for axis in "xyz"}
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
            missing = [c for c in columns if c not in known and name != "meta"]  # has a table of keys
            assert not missing, f"docs/database.md does not name {missing} of {name}"
        # and the keys of meta
        keys = {key for (key,) in db.execute("SELECT key FROM meta")}
        assert keys <= words_in_code(section("meta")), keys


def test_no_table_is_made_up(recorded):
    with sqlite3.connect(recorded.database) as db:
        there = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    tables = DATABASE[DATABASE.index("## Tables"):DATABASE.index("## Views")]
    named = {w for title in re.findall(r"^### (.*)$", tables, flags=re.M) for w in re.split(r"[, ]+", title)}
    assert named <= there, named - there
    views = set(re.findall(r"^\| `(\w+)` \|", DATABASE[DATABASE.index("## Views"):], flags=re.M))
    assert views <= there, views - there


def test_a_page_for_each_handler():
    assert sorted(PAGES) == HANDLERS
    for name, text in PAGES.items():
        assert "## Example" in text or "lanescope run" in text, f"{name}: no worked example"


def test_metrics():
    listed = profiling.call(profiling.LANESCOPE, "list", "metrics").stdout
    found = re.findall(r"^  (\w+)\.(.+?) \([^)]*\): ", listed, flags=re.M)
    assert {h for h, _ in found} == set(HANDLERS) - {"advice"}
    for handler, metric in found:
        assert metric in PAGES[handler], f"docs/handlers/{handler}.md does not name {metric}"


def test_rows(recorded):
    """Each key of each row stands on the handler's page, and the table in the list of docs/database.md."""
    tables = section("handler_row")
    seen = set()
    for handler, table, text in recorded.query("SELECT handler, table_name, json FROM handler_row"):
        assert f"`{table}`" in tables and f"`{handler}`" in tables, (handler, table)
        assert f"`{table}`" in PAGES[handler], (handler, table)
        for key in json.loads(text):
            assert re.search(rf"\b{re.escape(key)}\b", PAGES[handler]), f"docs/handlers/{handler}.md does not name {key}"
        seen.add((handler, table))
    assert {("heatmap", "allocations"), ("heatmap", "pages"), ("heatmap", "sets"), ("block_timing", "blocks"),
            ("instruction_mix", "lines"), ("wave_timeline", "waves"), ("wave_timeline", "units"), ("address_log", "files"),
            ("advice", "global"), ("advice", "lds")} <= seen, seen


def test_variables():
    """Each variable that the code reads is documented, and no other is."""
    used, named = set(), set()
    for folder in ("cli", "settings", "hsa-plugin", "join", "objects", "messages", "soft-gpu", "llvm-pass", "host-handlers", "results", "triton-plugin"):
        for file in (ROOT / folder).rglob("*.*"):
            if "tests" not in file.parts and file.suffix in (".c", ".h", ".cpp", ".py"):
                used |= set(re.findall(r'"(LANESCOPE_[A-Z0-9_]+)"', file.read_text()))
    for file in [*ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md"), *(profiling.BUILD / "man").glob("*.1")]:
        named |= set(re.findall(r"\bLANESCOPE_[A-Z0-9_]+\b", file.read_text()))
    assert not used - named, f"not documented: {used - named}"
    constants = {n for file in (ROOT / "include").rglob("*.h") for n in re.findall(r"\bLANESCOPE_[A-Z0-9_]+\b", file.read_text())}
    others = {n for n in named - used - constants if not n.startswith(("LANESCOPE_HANDLER", "LANESCOPE_N", "LANESCOPE_TEST"))}
    assert not others, f"documented, but nothing reads them: {others}"


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_shown(page, tmp_path):
    """The commands of the README's first part and of the tutorial, and what they print: the lines shown, in their order. What a line
    leaves out (times) is `...` in it."""
    shutil.copytree(ROOT / "hip-examples", tmp_path / "hip-examples")
    block = (ROOT / page).read_text()
    block = re.sub(r"(?s)\n## .*", "", block) if page == "README.md" else block
    steps, folder = [], tmp_path
    for line in re.findall(r"(?m)^    (.*)", block):
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line.strip())
    env = profiling.clean_environment(COLUMNS="100", PATH=f"{profiling.LANESCOPE.parent}:{os.environ['PATH']}")
    assert len(steps) > 6 and sum(len(shown) for _, shown in steps) > 9
    for command, shown in steps:
        if command.startswith("cd "):
            folder = folder / command[3:]
            continue
        done = profiling.call("bash", "-c", command, cwd=folder, env=env)
        assert done.returncode == 0, done.stderr
        printed = iter(line.strip() for line in done.stdout.splitlines())
        for line in shown:
            pattern = re.compile(".*".join(re.escape(part.strip()) for part in line.split("...")))
            assert any(pattern.fullmatch(other) for other in printed), f"{command}: {line}\n{done.stdout}"


def test_manual_has_options_of_the_compiler():
    """Those of the verbs are in the table of which the pages are made (man/check.py)."""
    manual = (profiling.BUILD / "man" / "lanescope.1").read_text().replace("\\-", "-")
    text = profiling.call(profiling.LANESCOPE, "hipcc", "--lanescope-help").stdout
    options = set(re.findall(r"--lanescope-[a-z]+", text))
    assert len(options) == 3 and all(option in manual for option in options), options


# Handler: example, compiler's option, whether the table leaves columns out. Figures of time are not compared.
WORKED = {"lds_bank_conflicts": ("transpose", None), "memory_coalescing": ("transpose", None), "advice": ("transpose", None),
          "alignment": ("aos_soa", None), "redundancy": ("matmul", None), "heatmap": ("matmul", None),
          "block_executions": ("reduction", "--lanescope-blocks"), "instruction_mix": ("vector_add", "--lanescope-blocks=only"),
          "wave_timeline": ("matmul", None)}


def figures(line):
    return re.findall(r"-?\d[\d,]*(?:\.\d+)?%?", re.sub(r"^\S+( (?:load|store|atomic|block)( \d+ B)?\*?)?", "", line.strip()))


def is_part(few, all_of_them):
    """Whether the figures are there in that order; a page may leave columns out."""
    rest = iter(all_of_them)
    return all(f in rest for f in few)


@pytest.mark.parametrize("name", sorted(WORKED))
def test_worked_example(name, tmp_path):
    """What a page shows is what comes out: lines of whole kernels, rows of places with their figures, and advice."""
    example, flag = WORKED[name]
    program = profiling.EXAMPLES / example
    if flag:
        program = tmp_path / example
        source = profiling.EXAMPLE_SOURCES / example / f"{example}.hip"
        done = profiling.compiled(profiling.LANESCOPE, "hipcc", "-O3", "--offload-arch=gfx90a", flag, source, "-o", program)
        assert done.returncode == 0, done.stderr
    options = () if name == "advice" else ("--handlers", name)
    p = Profile(tmp_path / "out", program, options=options)
    assert p.done.returncode == 0, p.done.stderr
    report = profiling.call(profiling.LANESCOPE, "report", "--top", "0", p.database,
                            env=profiling.clean_environment(COLUMNS="250")).stdout
    lines = [line.strip() for line in report.splitlines()]
    shown, compared = [line.strip() for line in PAGES[name].splitlines() if line.startswith("    ")], 0
    for line in shown:
        place = re.match(r"\S+\.(?:hip|h):\d+(?::[\d,]+)?(?: (?:load|store|atomic|block)\b)?", line)
        if "whole kernel:" in line or line.startswith("> "):
            assert line in lines, line
        elif place:
            assert any(other.startswith(place[0]) and is_part(figures(line), figures(other)) for other in lines), line
        else:
            continue
        compared += 1
    assert compared, f"docs/handlers/{name}.md shows no figures"
