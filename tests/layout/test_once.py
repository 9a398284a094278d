"""What stands in one place only: see README.md. Each question here was answered in several places once."""

import ast
import re

import test_arrows

ROOT = test_arrows.ROOT
# Who knows encodings: the table, the decoder, and a tool that counts opcodes of each encoding.
ENCODINGS = ("gpus", "gcn", "soft-gpu/isa/tools")
# Who reads what instructions are called: the decoder; the readers of text where there is no decoder; device_waits.c, which
# has LLVM's assembly for GPUs that are not decoded (its comment says more); and the inline assembly of sources, which
# ls_pass_access.c and ls_together.cpp look into.
MNEMONICS = ("gcn", "join/machine/text", "llvm-pass/device_waits.c", "llvm-pass/ls_pass_access.c", "llvm-pass/ls_together.cpp")
ALL = (".c", ".h", ".cpp", ".inc", ".hip", ".py", ".js")
COMPARES = r"(str\w*cmp|memcmp|strstr|strpbrk|begins|starts?|ends?|contains|find)\w*\([^;]*"
ASKS_GENERATION = re.compile(r"(->|\.)(encoding|generation)\b *(>=|<=|==|!=|<|>)|switch \([^;{]*(->|\.)(encoding|generation)\)"
                             rf"|(?<!ls_gpu_){COMPARES}[\"']gfx\d|[=!]= *(ls_gpu_find\()?[\"']gfx\d|[\"']gfx\d\w*[\"'] *[=!]=")
ASKS_MNEMONIC = re.compile(rf"{COMPARES}[\"'](s|v|ds|global|flat|buffer|tbuffer|scratch|image)_([a-z]|[\"'])"
                           r"|[\"'](v|ds|global|flat|tbuffer|image|s_(load|store|waitcnt|barrier|c?branch))_[a-z0-9_]+[\"']")
WRITES_JSON = re.compile(r'\\"[\w.]+\\": ?(\\"%|[%\[{])')
NAMES_HANDLER = re.compile(r'(?<!\\)"(lds_bank_conflicts|memory_coalescing)[",]')
NAMES_VARIABLE = re.compile(r"[\"'](LANESCOPE_[A-Z_]+)[\"']")


def product(*endings):
    """(path, text) of the sources of what is installed; without endings, of its C and C++."""
    for top in sorted(ROOT.iterdir()):
        if top.is_dir() and not top.name.startswith(("build", ".")) and top.name not in ("tests", "bench", "examples"):
            for path in sorted(top.rglob("*")):
                relative = path.relative_to(ROOT)
                if path.suffix in (endings or (".c", ".h", ".cpp")) and "tests" not in relative.parts:
                    yield relative, path.read_text(errors="replace")


def found(pattern, exempt=(), endings=()):
    return [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: {m.group()}" for path, text in product(*endings)
            if not str(path).startswith(exempt) for m in pattern.finditer(text)]


def test_gpus_are_asked_by_fields_of_the_table():
    assert not found(ASKS_GENERATION, ENCODINGS, ALL), "a property with a name belongs into gpus/gpus.h"


def test_instructions_are_asked_by_traits():
    assert not found(ASKS_MNEMONIC, MNEMONICS, ALL), "what an instruction is, gcn/tables/traits.py says"


def test_json_is_not_written_by_hand():
    assert not found(WRITES_JSON), "lanescope/sdk/json.h writes JSON, jansson in the command line"


def test_handlers_are_known_by_what_they_declare():
    """Two have names, in defaults.h; older_views.c is about recordings in which handlers do not declare it."""
    own = ("host-handlers/builtin", "include/lanescope/defaults.h", "results/reader/older_views.c")
    assert not found(NAMES_HANDLER, own), "include/lanescope/handler.h and lanescope/sdk/views.h: handlers say what their numbers are"
    named = set(re.findall(r'#define LS_(?:LDS|GLOBAL)_HANDLER "(\w+)"', (ROOT / own[1]).read_text()))
    counting = {p.stem for p in (ROOT / own[0]).glob("*.c") if re.search(r"\.reduced = ", p.read_text())}
    assert named == counting and len(named) == 2


def test_variables_are_settings_or_listed():
    known = set(re.findall(r'"(LANESCOPE_\w+)"', (ROOT / "settings/table.c").read_text()))
    read = {m.group(1) for path, text in product(*ALL) if path.parts[0] != "settings" for m in NAMES_VARIABLE.finditer(text)}
    assert len(known) > 50 and len(read) > 10 and read <= known, read - known


def test_one_place_says_where_temporary_files_lie():
    assert not found(re.compile(r'"/tmp\b'), "common/temporary.h"), "common/temporary.h and cli/common/temporary.h ask TMPDIR"


def names_twice(text):
    """(line, name) of functions that a later one of the same class or module hides."""
    for scope in ast.walk(ast.parse(text)):
        seen = set()
        for f in scope.body if isinstance(scope, (ast.Module, ast.ClassDef)) else ():
            if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if f.name in seen and not f.decorator_list:
                    yield f.lineno, f.name
                seen.add(f.name)


def test_no_test_hides_another():
    files = [p for top in sorted(ROOT.iterdir()) if top.is_dir() and not top.name.startswith(("build", "."))
             for p in sorted(top.rglob("*.py"))]
    assert len(files) > 150
    twice = [f"{p.relative_to(ROOT)}:{line}: {name}" for p in files for line, name in names_twice(p.read_text())]
    assert not twice, "\n".join(twice)


def test_what_is_found():
    assert ASKS_GENERATION.search("if (gpu->family->encoding >= 10)") and ASKS_GENERATION.search('!strcmp(name, "gfx90a")')
    assert ASKS_GENERATION.search("switch (gpu->family->generation) {") and ASKS_GENERATION.search('!memcmp(n, "gfx942", 6)')
    assert ASKS_GENERATION.search('arch == "gfx942"') and ASKS_GENERATION.search("arch.startswith('gfx9')")
    assert ASKS_GENERATION.search('gpu == ls_gpu_find("gfx90a")') and not ASKS_GENERATION.search('ls_gpu_find("gfx90a")')
    assert ASKS_MNEMONIC.search('{"ds_read_b32", "x"}') and ASKS_MNEMONIC.search('strstr(text, "ds_")')
    assert ASKS_MNEMONIC.search('!strncmp(text, "ds_read2", 8)') and not ASKS_MNEMONIC.search('write(f, "s_nop 0")')
    assert WRITES_JSON.search(r'fprintf(f, "{\"line\":%u}", n)') and WRITES_JSON.search(r'"{\"file\":\"%s\"}"') and not WRITES_JSON.search(r'say("as {\"handlers\": \"x\"}")')
    assert NAMES_HANDLER.search('f(p, "memory_coalescing")') and not NAMES_HANDLER.search('"as \\"memory_coalescing\\""')
    assert list(names_twice("def test_a(): pass\nclass T:\n def test_a(): pass\n def test_a(): pass\n")) == [(4, "test_a")]
