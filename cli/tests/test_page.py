"""lanescope report --html: the file, and the page in a headless browser. The numbers of the sample recording are
worked out in results/tests/sample.c."""
import base64
import json
import os
import random
import re
import shutil
import sqlite3
import stat
import tempfile
import unittest

import browser
import hostile
import test_report
from common import Case

MARK = "<!DOCTYPE html>\n<!-- Made by lanescope report --html. -->\n"
DATA = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.S)


def enlarge(path, kernels, lines):
    """Adds copies of the first kernel with the sites of its first dispatch at random lines of a long source."""
    db = sqlite3.connect(path)
    rng = random.Random(11)
    db.execute("PRAGMA foreign_keys = OFF")
    file, = db.execute("SELECT id FROM source_file WHERE text IS NOT NULL").fetchone()
    db.execute("UPDATE source_file SET text = ? WHERE id = ?",
               ("".join(f"  out[{i}] = in[index_{i}(threadIdx.x)];\n" for i in range(1, lines + 1)), file))

    def copy(table, where, **new):
        names = [c[1] for c in db.execute(f"PRAGMA table_info({table})") if c[1] != "id"]
        quoted = ", ".join(f'"{n}"' for n in names)
        row = dict(zip(names, db.execute(f"SELECT {quoted} FROM {table} WHERE {where}").fetchone()), **new)
        return db.execute(f"INSERT INTO {table}({quoted}) VALUES ({', '.join('?' * len(names))})", list(row.values())).lastrowid

    kernel, = db.execute("SELECT id FROM kernel WHERE module IS NOT NULL").fetchone()
    dispatch, = db.execute("SELECT min(id) FROM dispatch WHERE observed").fetchone()
    values = {}
    for site, metric, value in db.execute("SELECT site, metric, value FROM value WHERE dispatch = ?", (dispatch,)):
        values.setdefault(site, []).append((metric, value))
    for k in range(kernels):
        new = copy("kernel", f"id = {kernel}", name=f"stencil<{k}>(float*)", mangled=f"_Z7stencil{k}")
        run = copy("dispatch", f"id = {dispatch}", kernel=new, number=1000 + k)
        for line in rng.sample(range(1, lines + 1), 20):
            frame = db.execute('INSERT INTO frame(file, line, "column", function) VALUES (?, ?, 3, \'stencil\')', (file, line)).lastrowid
            old = rng.choice(list(values))
            site = copy("site", f"id = {old}", kernel=new, frame=frame, number=10000 * (k + 1) + line)
            factor = rng.randrange(1, 100)
            db.executemany("INSERT INTO value VALUES (?, ?, ?, ?)", [(run, site, m, v * factor) for m, v in values[old]])
    db.commit()
    db.close()


def price(path, gpu):
    """As `run --as GPU` records: beside each handler's numbers those of the other GPU; here they are half as large."""
    db = sqlite3.connect(path)
    columns = "handler || '@' || ?1, name, unit, description, is_ratio, scale, a + 100, b + 100, c + 100, d + 100"
    db.execute("INSERT INTO metric(id, handler, name, unit, description, is_ratio, scale, a, b, c, d) SELECT id + 100, %s"
               " FROM metric ORDER BY is_ratio" % columns, (gpu,))
    # What handlers say of these metrics (lanescope/handler.h): direction, show, excess, cost, position, role.
    for name, view in (("Executions", (0, 0, 0, 0, 1, 1)), ("Active Lanes", (0, 4, 0, 0, 2, 2)), ("Bank Conflict", (1, 0, 1, 1, 4, 0)),
                       ("Cache Lines", (1, 0, 1, 1, 3, 0)), ("Cache Lines Needed", (0, 0, -1, 0, 4, 0)), ("Coalescing", (-1, 0, 0, 0, 7, 5))):
        db.execute("UPDATE metric SET direction = ?, show = ?, excess = ?, cost = ?, position = ?, role = ? WHERE id > 100 AND name = ?",
                   (*view, name))
    db.execute("INSERT INTO handler VALUES ('lds_bank_conflicts@' || ?, 'LDS bank conflicts', NULL)", (gpu,))  # the other has no title
    db.execute("INSERT INTO value SELECT dispatch, site, metric + 100, value / 2 FROM value")
    db.execute("UPDATE process SET options = ?", (json.dumps({"as": gpu}),))
    db.commit()
    db.close()
    return path


class File(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()

    def page(self, *words):
        self.expect(0, "report", "--html", "page.html", self.db, *words)
        with open(self.path("page.html")) as f:
            return f.read()

    def test_the_data_is_that_of_json(self):
        hostile.fill(self.db)
        for words in ([], ["--kernel", "transpose"], ["--top", "1"], ["--sort", "coalescing"]):
            text = self.page(*words)
            self.assertTrue(text.startswith(MARK))
            self.assertEqual(json.loads(DATA.search(text)[1]),
                             json.loads(self.expect(0, "report", "--json", self.db, *words).stdout))

    def test_nothing_is_loaded(self):
        """Neither addresses nor attributes that would fetch; the policy allows only the page's own two hashes."""
        text = DATA.sub("", self.page())
        self.assertNotRegex(text.replace("http://www.w3.org/2000/svg", ""), r"https?:|@import|\bsrc=|url\((?!#)")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotRegex(text, r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|\bfetch\(|XMLHttp")

    def test_source_code_lines_and_instructions_are_in_the_json(self):
        data = json.loads(self.expect(0, "report", "--json", self.db).stdout)
        file, = [f for f in data["files"] if f["path"] == self.path("transpose.hip")]
        self.assertEqual((file["short"], file["problem"], file["differs"]), ("transpose.hip", None, False))
        with open(self.path("transpose.hip")) as f:
            self.assertEqual(file["text"], f.read())
        kernel = data["kernels"][0]
        # Line 6: 1080 conflicts and 2048 - 128 lines; line 9: 256 - 128; line 4: nothing beyond need.
        self.assertEqual([(l["line"], l["excess"]) for l in kernel["lines"]], [(6, 3000), (9, 128), (4, 0)])
        self.assertEqual(kernel["excess"], 3128)
        line = kernel["lines"][0]
        # 64 executions with 3072 lanes in LDS, 32 with 2048 in global memory.
        self.assertEqual((line["executions"], line["active_lanes"]), (96, (3072 + 2048) / 96))
        self.assertEqual(line["metrics"]["lds_bank_conflicts"]["Bank Conflict"], 1080)
        self.assertEqual(line["metrics"]["memory_coalescing"]["Cache Lines"], 2048)
        self.assertEqual(kernel["lanes"], 64)
        self.assertEqual(kernel["exactness"]["executed"], 6)

    def test_kernels_that_are_not_priced(self):
        """A program with wavefronts of both sizes, as on a GPU that has the one: to have no price is another thing than no excess."""
        enlarge(self.db, 1, 30)
        price(self.db, "gfx942")
        db = sqlite3.connect(self.db)
        db.execute("UPDATE kernel SET lanes = 32 WHERE name LIKE 'stencil%'")
        db.execute("DELETE FROM value WHERE metric > 100 AND dispatch IN (SELECT d.id FROM dispatch d JOIN kernel k ON k.id = d.kernel"
                   " WHERE k.name LIKE 'stencil%')")
        db.commit()
        db.close()
        report = json.loads(self.expect(0, "report", "--json", "--as", "gfx942", self.db).stdout)
        excess = {k["name"].partition("<")[0].partition("(")[0]: k["excess"] for k in report["kernels"]}
        self.assertIsNone(excess.pop("stencil"))
        self.assertNotIn(None, excess.values())
        self.assertIn("Not priced: 1 kernel whose wavefronts have 32 lanes, and those of gfx942 64 (stencil<0>(float*)).", report["as"]["assumes"])
        text = self.expect(0, "report", "--as", "gfx942", self.db, COLUMNS="200").stdout
        row, = re.findall(r"^ +(\S+) .*stencil<0>\(float\*\)$", text.partition("Excess:")[0], re.M)
        self.assertEqual(row, "-")
        self.assertIn("Not priced: 1 kernel", text)

    def test_instructions(self):
        db = sqlite3.connect(self.db)
        kernel, site, file = db.execute("SELECT s.kernel, s.id, f.file FROM site s JOIN frame f ON f.id = s.frame"
                                        " WHERE s.kind = 1 AND s.space = 3").fetchone()
        db.execute("DELETE FROM vector_instruction")
        db.execute("DELETE FROM instruction")
        for offset, text, at in ((16, "ds_read2_b32 v[0:1], v2", site), (8, "s_load_dwordx2 s[0:1], s[4:5], 0x0", None)):
            db.execute('INSERT INTO instruction(kernel, offset, text, file, line, "column", site, function, module)'
                       " VALUES (?, ?, ?, ?, 6, 15, ?, NULL, NULL)", (kernel, offset, text, file, at))
        db.commit()
        db.close()
        found = json.loads(self.expect(0, "report", "--json", self.db).stdout)["kernels"][0]["instructions"]
        path = self.path("transpose.hip")
        self.assertEqual(found, [
            {"function": None, "offset": 8, "text": "s_load_dwordx2 s[0:1], s[4:5], 0x0", "file": path, "line": 6, "column": 15,
             "counted_file": None, "counted_line": None, "joined": False},
            {"function": None, "offset": 16, "text": "ds_read2_b32 v[0:1], v2", "file": path, "line": 6, "column": 15,
             "counted_file": path, "counted_line": 6, "joined": True}])

    def test_what_is_replaced(self):
        self.page()
        self.page()  # its own kind
        self.write("empty", "")
        self.expect(0, "report", "--html", "empty", self.db)
        self.write("notes.html", "<!DOCTYPE html>\nmine")
        said = self.expect(1, "report", "--html", "notes.html", self.db).stderr
        self.assertIn("notes.html: cannot write the page: it exists and is no page of Lanescope", said)
        with open(self.path("notes.html")) as f:
            self.assertEqual(f.read(), "<!DOCTYPE html>\nmine")
        self.expect(0, "report", "--html", "notes.html", "--force", self.db)
        with open(self.path("notes.html")) as f:
            self.assertTrue(f.read().startswith(MARK))
        os.symlink("page.html", self.path("link.html"))
        self.assertIn("symbolic link", self.expect(1, "report", "--html", "link.html", "--force", self.db).stderr)
        self.assertIn("is a recording", self.expect(1, "report", "--html", self.db, "--force", self.db).stderr)
        self.expect(0, "check", self.db)

    def test_mode(self):
        """What the recording withholds, the page withholds: also one that others could read before."""
        for mode, umask, want in ((0o640, 0o022, 0o640), (0o600, 0o022, 0o600), (0o644, 0o022, 0o644), (0o666, 0o077, 0o600),
                                  (0o444, 0o002, 0o664)):
            os.chmod(self.db, mode)
            before = os.umask(umask)
            try:
                self.page()
            finally:
                os.umask(before)
            self.assertEqual(oct(stat.S_IMODE(os.stat(self.path("page.html")).st_mode)), oct(want))

    def test_forms_exclude_each_other(self):
        for words in (["--json", "--html", "x"], ["--html", "x", "--csv"], ["--html", "x", "--rows", "lds"]):
            self.assertIn("exclude each other", self.expect(2, "report", *words, self.db).stderr)
        self.assertIn("--html names its file", self.expect(2, "report", "--html", "x", "-o", "y", self.db).stderr)
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertTrue(self.expect(0, "report", "--html", "-", self.db).stdout.startswith(MARK))


@unittest.skipIf(browser.missing(), browser.missing())
class Page(Case):
    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.mkdtemp(prefix="lanescope-browser-")
        cls.addClassCleanup(shutil.rmtree, cls.profile, True)
        cls.b = browser.Browser(cls.profile)
        cls.addClassCleanup(cls.b.close)

    def show(self, db, scheme="light", *words):
        self.expect(0, "report", "--html", "page.html", *words, db)
        self.b.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.b.open(self.path("page.html"))
        self.assertEqual(self.b.js("return document.documentElement.dataset.ready"), "true")

    def quiet(self):
        """Nothing in the console, and nothing was asked for but the page itself."""
        self.assertEqual(self.b.log("browser"), [])
        self.assertEqual([u for u in self.b.requests() if not u.startswith(("file://" + self.path("page.html"), "data:,"))], [])

    def text(self, selector):
        return self.b.js("const e = document.querySelector(arguments[0]); return e && e.textContent", selector)

    def texts(self, selector):
        return self.b.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def cells(self, line):
        return self.texts(f"#source tr[data-row='{line - 1}'] > *")

    def test_what_is_seen_first(self):
        db = self.sample()
        hostile.fill(db)
        self.show(db)
        first = self.texts("#kernels tr[data-row='0'] > *")
        self.assertEqual(first[0], "transpose(float*, float const*)")
        self.assertEqual(first[2:4], ["3", "2"])
        self.assertEqual(first[5:7], ["transpose.hip:6", "3,128"])
        # 3000 of 3128; 96 executions with 53.33 lanes; conflicts, cache lines, coalescing.
        self.assertEqual(self.cells(6)[:7], ["6", "96 %", "96", "53.33", "1,080", "2,048", "25.00 %"])
        self.assertEqual(self.text("#line-title"), "transpose.hip:6")
        advice = " ".join(self.texts("#line .advice li"))
        self.assertIn("128", advice)
        self.assertEqual(self.text("#kernel-facts").count("6 of 9 memory instructions observed; not: 2 image loads, 1 scratch access"), 1)
        self.quiet()

    def test_kernels_of_one_name(self):
        self.show(test_report.Twins.recording(self))
        names = [n for n in self.texts("#kernels td.name") if n.startswith("transpose")]
        self.assertRegex(" ".join(names), r"^transpose\(.*\) \[transpose\.hip:\d+\] transpose\(.*\) \[other\.hip:7\]$")
        self.assertEqual(self.text("#kernel-title"), names[0])
        self.quiet()

    def test_narrow(self):
        """Half a screen, a tenth of one, and less: which line is worst, and by how much, is seen without scrolling sideways."""
        db = self.sample()
        self.addCleanup(self.b.devtools, "Emulation.setDeviceMetricsOverride", width=1920, height=1080, deviceScaleFactor=1, mobile=False)
        for width in (899, 640, 420, 320):
            self.b.devtools("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
            self.show(db)
            self.assertLessEqual(self.b.js("return document.documentElement.scrollWidth - innerWidth"), 0, width)
            places = self.b.js("const edge = document.querySelector('#kernels .scroll').getBoundingClientRect().right;"
                               "return [...document.querySelectorAll('#kernels tr[data-row=\"0\"] > *')].map(e => {"
                               "const r = e.getBoundingClientRect(); return getComputedStyle(e).visibility === 'visible' && r.right <= edge ? r.width : 0})")
            self.assertGreater(places[0], 80, width)  # ten letters of the kernel's name
            self.assertGreater(places[5], 80, width)  # transpose.hip:6
            self.assertGreater(places[6], 60, width)  # 3,128
        self.quiet()

    def test_long_names(self):
        """Names without blanks, as of templates in templates: they break or are cut, and nothing is pushed out of sight."""
        db, name = self.sample(), "very_long_name::" * 40
        hostile.fill(db)
        c = sqlite3.connect(db)
        for table, column in (("kernel", "name"), ("source_file", "path"), ("frame", "function"), ("note", "text"), ("process", "argv"),
                              ("finding_access", "instruction"), ("finding", "kernel"), ("site", "estimate"), ("handler_row", "table_name")):
            c.execute(f"UPDATE {table} SET {column} = {column} || ?", (name,))
        c.commit()
        c.close()
        self.addCleanup(self.b.devtools, "Emulation.setDeviceMetricsOverride", width=1920, height=1080, deviceScaleFactor=1, mobile=False)
        for width in (1280, 420):
            self.b.devtools("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
            self.show(db)
            self.b.js("document.querySelector('#recording summary').parentElement.open = true")
            for tab in "1234":
                self.b.press(tab)
                wide = self.b.js("const wide = e => e.scrollWidth > e.clientWidth + 1;"
                                 "return [document.documentElement, ...document.querySelectorAll('body, main, #recording .facts, .page, .tools, #line-body')]"
                                 ".filter(wide).map(e => e.id || e.className || e.tagName)")
                self.assertEqual(wide, [], (width, tab))
        self.quiet()

    def test_as_on_another_gpu(self):
        """What was priced is said beside the program's name, in the summary, and in the title of each table."""
        db = price(self.sample(), "gfx950")
        data = json.loads(self.expect(0, "report", "--json", "--as", "gfx950", db).stdout)["as"]
        self.assertEqual((data["gpu"], data["recorded_on"], data["measured"]), ("gfx950", "gfx90a", False))
        self.show(db, "light", "--as", "gfx950")
        self.assertIn("as on gfx950", self.text("#what"))
        self.assertIn("As on gfx950, recorded on gfx90a: not measured", self.texts("#recording summary .warn"))
        # Half of what the sample has: 1,080 conflicts, 2,048 lines.
        self.assertEqual(self.cells(6)[4:6], ["540", "1,024"])
        self.b.click("#recording summary")
        for text in data["assumes"]:
            self.assertIn(text, self.text("#recording .facts"))
        self.b.click("#tab-tables")
        self.assertEqual(self.texts("#panel-tables h3"), ["LDS bank conflicts, as on gfx950", "memory_coalescing, as on gfx950"])
        self.quiet()
        self.show(db)
        self.assertNotIn("gfx950", self.text("#what") + self.text("#recording summary"))
        self.assertEqual(self.cells(6)[4:6], ["1,080", "2,048"])

    def test_clicks(self):
        self.show(self.sample())
        self.b.click("#source tr[data-row='3'] td.text")
        self.assertEqual(self.text("#line-title"), "transpose.hip:4")
        self.assertEqual(len(self.texts("#line .access")), 2)
        self.b.click("#tab-tables")
        self.assertEqual(self.texts("#panel-tables h3"), ["LDS bank conflicts", "Memory coalescing"])
        self.b.click("#panel-tables tbody .link")
        self.assertEqual(self.text("#line-title"), "transpose.hip:6")
        self.assertFalse(self.b.js("return document.getElementById('panel-source').hidden"))
        self.b.click("#tab-coverage")
        self.assertIn("2 × image load", self.text("#panel-coverage"))
        self.b.click("#tab-charts")
        self.assertEqual(self.b.js("return document.querySelectorAll('#panel-charts svg.histogram').length"), 2)
        self.b.click("#kernels tr[data-row='1']")
        self.assertEqual(self.text("#kernel-title"), "Cijk_gemm")
        self.assertIn("its code object has no site table", self.text("#kernel-facts"))
        for column, want in ((1, "Cijk_gemm"), (3, "transpose(float*, float const*)")):  # by name up, by dispatches down
            self.b.click(f"#kernels th:nth-child({column}) button")
            self.assertEqual(self.text("#kernels tr[data-row='0'] td"), want)
        self.quiet()

    def test_machine_code_of_another_file(self):
        """The line stays readable, however long the file's name is; a kernel without machine code has no table to scroll."""
        db = self.sample()
        with sqlite3.connect(db) as c:
            other = c.execute("INSERT INTO source_file(path) VALUES ('/usr/include/a_header_with_a_long_name.h')").lastrowid
            c.execute("UPDATE instruction SET file = ?, line = 12345, site = NULL", (other,))
        c.close()
        self.show(db)
        self.assertEqual(self.text("#code td.at"), "a_header_with_a_long_name.h:12345")
        inside = """const cell = document.querySelector('#code td.at'), range = document.createRange(), box = cell.getBoundingClientRect();
            range.selectNode(cell.lastChild);
            const line = range.getBoundingClientRect(), name = cell.querySelector('.file').getBoundingClientRect();
            return [box.left <= name.left && name.right <= line.left && line.right <= box.right, name.width > 30];"""
        self.assertEqual(self.b.js(inside), [True, True])
        self.b.click("#kernels tr[data-row='1']")
        self.assertEqual(self.text("#code-title"), "Machine code none recorded")
        self.assertEqual(self.b.js("const s = document.querySelector('#code .scroll'); return s.scrollWidth - s.clientWidth"), 0)
        self.quiet()

    def test_keys(self):
        self.show(self.sample())
        self.b.press("j")
        self.assertEqual(self.text("#line-title"), "transpose.hip:7")
        self.b.press("ArrowUp", "k")
        self.assertEqual(self.text("#line-title"), "transpose.hip:5")
        self.b.press("p")
        self.assertEqual(self.text("#line-title"), "transpose.hip:4")
        self.b.press("n", "n")
        self.assertEqual(self.text("#line-title"), "transpose.hip:9")
        self.b.press("w")
        self.assertEqual(self.text("#line-title"), "transpose.hip:6")
        self.b.press("Escape", "j")
        self.assertEqual(self.text("#kernel-title"), "Cijk_gemm")
        self.b.press("k", "Enter", "j")
        self.assertEqual(self.text("#line-title"), "transpose.hip:7")
        self.b.press("?")
        self.assertTrue(self.b.js("return document.getElementById('help').open"))
        self.b.press("Escape")
        self.assertFalse(self.b.js("return document.getElementById('help').open"))
        for key, name in zip("2341", ("tables", "charts", "coverage", "source")):
            self.b.press(key)
            self.assertFalse(self.b.js(f"return document.getElementById('panel-{name}').hidden"))
        self.quiet()

    def test_search(self):
        self.show(self.sample())
        self.b.press("/", "syncthreads")
        self.assertEqual(self.texts("#found [role=option] .mono"), ["__syncthreads();"])
        self.b.press("Enter")
        self.assertEqual(self.text("#line-title"), "transpose.hip:5")
        self.assertTrue(self.b.js("return document.getElementById('found').hidden"))
        self.b.press("/", "cijk", "Enter")
        self.assertEqual(self.text("#kernel-title"), "Cijk_gemm")
        self.b.press("/", "nowhere")
        self.assertEqual(self.text("#found"), "Nothing found")
        self.b.press("Escape")
        self.quiet()

    def test_a_link_shows_the_same_again(self):
        self.show(self.sample())
        self.b.press("4", "1", "p")
        address = self.b.js("return location.hash")
        self.b.open(self.path("page.html") + address)
        self.assertEqual(self.text("#line-title"), "transpose.hip:4")

    def test_recording_of_version_0_1(self):
        """It shows what a recording of today shows, as far as that version stored it."""
        new = self.sample()
        self.show(new)
        kernels, lines = self.texts("#kernels tbody tr"), self.texts("#panel-source tbody tr")
        self.assertTrue(kernels and lines)
        self.show(self.old("old.db", new))
        self.assertEqual((self.texts("#kernels tbody tr"), self.texts("#panel-source tbody tr")), (kernels, lines))
        self.quiet()

    def test_light_and_dark(self):
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.show(self.sample(), "light")
        light = self.b.js(ground)
        self.show(self.db_again(), "dark")
        dark = self.b.js(ground)
        self.assertNotEqual(light, dark)
        self.b.click("#theme")
        self.assertEqual(self.b.js(ground), light)
        self.b.press("d")
        self.assertEqual(self.b.js(ground), dark)
        self.quiet()

    def db_again(self):
        return self.path("a.db")

    def test_contrast(self):
        """WCAG AA: 4.5 for text, on the ground of panels, of chosen rows and of the bar, in both schemes."""
        def luminance(colour):
            parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
            return 0.2126 * r + 0.7152 * g + 0.0722 * b

        for scheme in ("light", "dark"):
            self.show(self.sample(), scheme)
            names = ["text", "dim", "accent", "warn", "panel", "ground", "chosen", "raised"]
            values = dict(zip(names, self.b.js("const s = getComputedStyle(document.documentElement);"
                                               "return arguments[0].map(n => s.getPropertyValue('--' + n).trim())", names)))
            values = {n: "#" + "".join(2 * c for c in v[1:]) if len(v) == 4 else v for n, v in values.items()}
            for front in ("text", "dim", "accent", "warn"):
                for back in ("panel", "ground", "chosen", "raised"):
                    a, b = sorted((luminance(values[front]), luminance(values[back])), reverse=True)
                    self.assertGreaterEqual((a + 0.05) / (b + 0.05), 4.5, (scheme, front, back))

    def test_names_are_there_for_those_who_do_not_see(self):
        """Every control has a name, and every row list says which row is the chosen one."""
        self.show(self.sample())
        self.b.press("2", "3", "4", "1")
        nodes = self.b.devtools("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            role = node.get("role", {}).get("value")
            if not node.get("ignored") and role in ("button", "textbox", "combobox", "searchbox", "tab", "grid", "image", "img", "dialog"):
                self.assertTrue(node.get("name", {}).get("value"), node)
        self.assertEqual(self.b.js("const e = document.getElementById('source'); return document.getElementById("
                                   "e.getAttribute('aria-activedescendant')).getAttribute('aria-selected')"), "true")

    def test_size(self):
        """200 kernels and 5,000 lines: what is in the document does not grow with them."""
        db = self.sample()
        enlarge(db, 200, 5000)
        self.show(db)
        nodes = "return document.querySelectorAll('*').length"
        self.assertLess(self.b.js(nodes), 3000)
        self.b.press("w", "n", "n", "j", "Escape", "j", "j", "Enter", "p")
        self.b.js("document.getElementById('source').scrollTop = 4000 * 21; document.querySelector('#kernels .scroll').scrollTop = 150 * 21;"
                  "return new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
        rows = self.b.js("return [...document.querySelectorAll('#source tr[data-row]')].map(r => Number(r.dataset.row))")
        self.assertIn(4005, rows)
        self.assertLess(len(rows), 100)
        self.assertEqual(self.cells(4006)[-1], "  out[4006] = in[index_4006(threadIdx.x)];")
        self.b.press("/", "index_4999")
        self.assertEqual(self.texts("#found [role=option] .mono"), ["out[4999] = in[index_4999(threadIdx.x)];"])
        self.b.press("Enter")
        self.assertEqual(self.text("#line-title"), "transpose.hip:4999")
        self.assertIn("out[4999]", self.cells(4999)[-1])
        self.b.press("2", "3", "4", "1")
        self.assertLess(self.b.js(nodes), 6000)
        self.print_it()
        self.assertLess(self.b.js(nodes), 6000)
        self.quiet()

    def print_it(self):
        """On paper stand all kernels, and of the source the lines with numbers and three before and behind each: 20 lines, so at most
        140 rows of 5,000. With 202 kernels, rows of up to two lines of 21 px, and 900 px a page these are 16 pages; a few are the rest."""
        numbers = self.b.js("return state.kernel.lines.map(l => l.line)")
        shown = ("dispatchEvent(new Event('beforeprint')); const rows = n => [...document.querySelectorAll(n + ' tr[data-row]')].map(r => +r.dataset.row);"
                 "const all = [rows('#source'), rows('#kernels')]; dispatchEvent(new Event('afterprint')); return all")
        lines, kernels = self.b.js(shown)
        self.assertEqual(lines, sorted({at + d - 1 for at in numbers for d in range(-3, 4)} & set(range(5000))))
        self.assertEqual(kernels, list(range(202)))  # with the two that the sample has
        for scheme in ("light", "dark"):
            self.b.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            pdf = base64.b64decode(self.b.call("POST", self.b.session + "/print", {}))
            self.assertLess(len(re.findall(rb"/Type\s*/Page\b", pdf)), 22)
        self.b.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertEqual(self.b.js("return getComputedStyle(document.body).color"), "rgb(29, 32, 36)")  # dark letters: --text of the light scheme
        self.addCleanup(self.b.devtools, "Emulation.setDeviceMetricsOverride", width=1920, height=1080, deviceScaleFactor=1, mobile=False)
        self.b.devtools("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
        self.assertEqual(self.b.js("dispatchEvent(new Event('beforeprint')); return [...document.querySelectorAll('main > *, .scroll')].filter("
                                   "e => e.clientHeight && e.scrollHeight > e.clientHeight + 1).map(e => e.id)"), [])  # nothing lies over what is below it
        self.b.js("dispatchEvent(new Event('afterprint'))")
        self.b.devtools("Emulation.setEmulatedMedia", media="")

    def test_hostile_names_stay_text(self):
        db = self.sample("plain.db")
        hostile.fill(db)
        hostile.inject(db, self.path("bad.db"))
        evil = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'><!--<script>"
        c = sqlite3.connect(self.path("bad.db"))
        for table, column in (("kernel", "name"), ("source_file", "path"), ("source_file", "text"), ("frame", "function"), ("note", "text"),
                              ("instruction", "text"), ("site", "isa"), ("handler_row", "table_name"), ("finding", "kernel"),
                              ("finding_access", "instruction"), ("site", "estimate"), ("metric", "description")):
            c.execute(f"UPDATE {table} SET {column} = {column} || ?", (evil,))
        c.commit()
        c.close()
        self.show(self.path("bad.db"))
        self.b.press("2", "3", "4", "1", "/", "script", "Enter", "?", "Escape")
        self.assertNotEqual(self.b.js("return document.title"), "owned")
        self.assertEqual(self.b.js("return [document.scripts.length, document.images.length]"), [2, 0])
        self.assertIn(evil, self.text("#kernel-title"))
        self.quiet()

    def test_estimates_look_like_estimates(self):
        """Site 5 (line 9) was not joined; the store of line 4 (site 1) rests on assumed phases."""
        db = self.sample()
        c = sqlite3.connect(db)
        c.execute("UPDATE site SET isa_join = 0, estimate = 'the compiler moved it' WHERE number = 5")
        c.execute("UPDATE metric SET name = 'Assumed Cycles', show = 4, position = 12, role = 8 WHERE handler = 'lds_bank_conflicts' AND name = 'Addr Conflict'")
        c.execute("UPDATE value SET value = 5 WHERE site = (SELECT id FROM site WHERE number = 1)"
                  " AND metric = (SELECT id FROM metric WHERE name = 'Assumed Cycles')")
        c.commit()
        c.close()
        self.show(db)
        self.assertEqual(self.texts("#kernels tr[data-row='0'] > *")[6:], ["~3,128", "83 %"])  # 5 of 6
        numbers = self.cells(9)[1:7]
        self.assertEqual([n for n in numbers if n], ["~4.1 %", "~32", "~64.00", "~256", "~50.00 %"])  # 128 of 3128
        self.assertEqual(self.cells(4)[4], "0^")
        self.assertEqual(self.cells(6)[1:4], ["~96 %", "96", "53.33"])  # a share of a sum with an estimate
        self.b.press("n")
        self.assertIn("~ not exact: estimated from width and alignment: the compiler moved it", self.text("#line"))
        self.b.press("4")
        shown = self.text("#panel-coverage")
        for text in ("5 counted exactly", "1 estimated", "3 not observed", "~ estimated from width and alignment: the compiler moved it", "^ phases assumed"):
            self.assertIn(text, shown)
        self.quiet()

    def test_waves(self):
        db = self.sample()
        c = sqlite3.connect(db)
        dispatch, = c.execute("SELECT min(id) FROM dispatch WHERE observed").fetchone()
        c.execute("INSERT INTO metric(handler, name, unit, description, is_ratio, scale, show, position, role) "
                  "VALUES ('wave_timeline', 'Wavefront Time', 'ns', '', 0, 0, 3, 1, 6)")
        for i in range(12):
            row = {"workgroup": f"{i // 4},0,0", "wave": i % 4, "xcc": 0, "engine": 0, "array": 0, "unit": i // 6, "simd": i % 4, "slot": 0,
                   "start_ns": 1000 * i, "duration_ns": 5000}
            c.execute("INSERT INTO handler_row(dispatch, site, handler, table_name, json) VALUES (?, NULL, 'wave_timeline', 'waves', ?)",
                      (dispatch, json.dumps(row)))
        c.commit()
        c.close()
        self.show(db)
        self.b.press("3")
        self.assertEqual(self.b.js("return document.querySelectorAll('svg.timeline rect').length"), 12)
        # Six wavefronts of 5 us that begin 1 us apart: five run at once, and the sixth takes the first one's row.
        self.assertEqual(self.b.js("return new Set([...document.querySelectorAll('svg.timeline rect')].map(r => r.getAttribute('y'))).size"), 10)
        self.assertIn("12 wavefronts (software GPU)", self.text("#panel-charts"))
        self.quiet()


if __name__ == "__main__":
    unittest.main()
