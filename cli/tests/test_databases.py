"""Recordings that are damaged, partial, of others or of two handlers, and journals beside them: what the verbs say."""
import os
import shutil
import sqlite3
import struct
import unittest

from common import Case, preloads


class Databases(Case):
    def test_heads_of_many_recordings(self):
        """Kernels come first: of more than eight recordings three are named, and each that is partial; the others are counted."""
        paths = [self.sample(f"r{i}.db", str(100 + i)) for i in range(9)]
        head = self.expect(0, "report", *paths[:8]).stdout.split("\n\n")[0]
        self.assertEqual([os.path.basename(p) in head for p in paths], [True] * 8 + [False])
        db = sqlite3.connect(paths[7])
        with db:
            db.execute("UPDATE meta SET value = 'partial' WHERE key = 'state'")
        db.close()
        for verb, kernels in (("report", "Worst Line"), ("summary", " kernels "), ("report --stats", "Kernel")):
            text = self.expect(0, *verb.split(), *paths).stdout
            head = text[:text.index(kernels)]
            self.assertEqual([os.path.basename(p) in head for p in paths], [True] * 3 + [False] * 4 + [True, False], text)
            self.assertIn("and 5 more recordings (`lanescope summary --json` names all)", head)

    def test_wrong_files(self):
        with open(self.sample(), "rb") as f:
            good = f.read()
        rocpd = sqlite3.connect(self.path("rocpd.db"))
        rocpd.execute("CREATE TABLE rocpd_metadata(tag, value)")
        rocpd.commit()
        rocpd.close()
        files = {"none.db": "No such file", "rocpd.db": "another program", ".": "is a directory",
                 self.write("empty.db", b""): "is empty", self.write("text.db", "hello\n" * 100): "not a results",
                 self.write("cut.db", good[:len(good) // 3]): "truncated",
                 self.write("new.db", good[:60] + struct.pack(">I", 99) + good[64:]): "newer Lanescope (schema 99",
                 self.write("rot.db", good[:4096] + bytes(len(good) - 4096)): "damaged"}
        for name, cause in files.items():
            for verb in ("report", "summary", "check", "query"):
                if verb in ("check", "query") and cause == "damaged":
                    continue
                more = ["SELECT * FROM meta"] if verb == "query" else []
                r = self.expect(3, verb, name, *more)
                self.assertIn(cause, r.stderr, (verb, name))
                self.assertIn(os.path.basename(name), r.stderr)
                self.assertIn(";", r.stderr)      # cause; fix
        self.assertNotEqual(self.lanescope("check", self.path("rot.db")).returncode, 0)

    def test_check(self):
        db = self.sample()
        self.assertIn("good, schema 1, complete", self.expect(0, "check", db).stdout)
        self.assertEqual(self.expect(0, "check", "-q", db).stdout, "")
        c = sqlite3.connect(db)
        c.execute("UPDATE dispatch SET kernel = 999 WHERE id = 1")
        c.execute("UPDATE dispatch SET end_ns = 0 WHERE id = 2")
        c.execute("UPDATE dispatch SET observed = 0, not_observed = NULL WHERE id = 2")
        c.commit()
        c.close()
        r = self.expect(1, "check", db)
        self.assertIn("dispatch row 1 refers to a missing kernel", r.stdout)
        self.assertIn("ends before it starts: dispatch 2", r.stdout)
        self.assertIn("not observed, but has numbers: dispatch 2", r.stdout)
        self.assertIn("not observed without a reason: dispatch 2", r.stdout)
        # its rows have no numbers
        db = self.sample("b.db")
        c = sqlite3.connect(db)
        c.execute("DELETE FROM metric WHERE id = 1")
        c.commit()
        c.close()
        self.assertIn("value: a row refers to a missing metric", self.expect(1, "check", db).stdout)

    def test_check_knows_what_reports_need(self):
        """Whatever lacks so that a report, or a timeline, cannot be read."""
        good = self.sample()
        c = sqlite3.connect(good)
        tables = [t for t, in c.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'meta'")]
        found = 0
        for table in tables:
            column = c.execute(f"SELECT name FROM pragma_table_info('{table}') ORDER BY cid DESC").fetchone()[0]
            less = self.path("less.db")
            shutil.copy(good, less)
            d = sqlite3.connect(less)
            d.executescript("DROP VIEW line_view; DROP VIEW site_view; DROP VIEW dispatch_view")
            d.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO other")
            d.commit()
            d.close()
            read = [self.lanescope(*verb, less).returncode for verb in (["report"], ["convert", "--to", "json", "-o", "/dev/null"])]
            if 3 in read:
                found += 1
                checked = self.lanescope("check", less)
                self.assertEqual((table, checked.returncode, "no such column" in checked.stdout), (table, 1, True))
        self.assertGreater(found, 10)
        c.close()

    def test_a_metric_of_two_handlers(self):
        """Both default handlers count executions: the name alone would show one of them, nobody knows which."""
        db = self.sample()
        both = "lds_bank_conflicts.Executions, memory_coalescing.Executions; give one of these names"
        one = self.sample("one.db", "7")
        c = sqlite3.connect(one)
        c.executescript("PRAGMA foreign_keys = OFF; DELETE FROM metric WHERE handler = 'lds_bank_conflicts';"
                        "DELETE FROM value WHERE metric NOT IN (SELECT id FROM metric)")
        c.close()
        other = self.sample("other.db", "8")
        c = sqlite3.connect(other)
        c.executescript("PRAGMA foreign_keys = OFF; DELETE FROM metric WHERE handler = 'memory_coalescing';"
                        "DELETE FROM value WHERE metric NOT IN (SELECT id FROM metric)")
        c.close()
        for name in ("Executions", "executions", "Exec"):
            for args in (["report", "--sort", name, db], ["annotate", "--metric", name, db], ["diff", "--metric", name, db, db],
                         ["diff", "--metric", name, one, db], ["diff", "--metric", name, other, one]):
                r = self.expect(2, *args)
                first, second = sorted(both.split(";")[0].split(", "))
                self.assertIn("'%s' fits several metrics: " % name, r.stderr, args)
                self.assertIn(first, r.stderr)
                self.assertIn(second, r.stderr)
                self.assertEqual(r.stdout, "")
        self.expect(0, "report", "--sort", "memory_coalescing.Executions", db)
        self.expect(0, "annotate", "--metric", "LDS_bank_conflicts.executions", db)
        self.expect(0, "diff", "--metric", "memory_coalescing.Executions", db, db)
        self.expect(0, "diff", "--metric", "Executions", one, one)

    def test_partial(self):
        self.sample("k.db", "5", "killed")
        r = self.expect(0, "report", "k.db.partial")
        self.assertIn("PARTIAL: the program was killed", r.stdout)
        self.assertIn("source not shown: the recording did not end normally", r.stdout)
        self.assertIn("partial (the recorded process was killed, or its results could not be written)", self.expect(0, "check", "k.db").stdout)

    def plant_journal(self, db, victim):
        """A hot journal that holds page 1 as it is and names `victim` as super-journal ("" for none)."""
        data = open(db, "rb").read()
        page, magic = struct.unpack(">H", data[16:18])[0], bytes.fromhex("d9d505f920a163d7")
        total = sum([12345, *(data[i] for i in range(page - 200, 0, -200))]) & 0xffffffff
        j = (magic + struct.pack(">IIIII", 1, 12345, len(data) // page, 512, page)).ljust(512, b"\0")
        j += struct.pack(">I", 1) + data[:page] + struct.pack(">I", total)
        name = victim.encode()
        if name:
            j += struct.pack(">I", 0x40000000 // page + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
        open(db + "-journal", "wb").write(j)

    def test_journals_of_strangers(self):
        """No verb rolls one back in place, or removes the file that it names."""
        os.mkdir(self.path("d"))
        db, victim = self.sample("d/a.db"), self.write("victim", "important")
        verbs = (["report"], ["summary"], ["annotate"], ["check"], ["diff", db], ["query", "SELECT count(*) FROM kernel"])
        for named, code in ((victim, 3), ("", 0)):
            self.plant_journal(db, named)
            before = {n: open(self.path("d/" + n), "rb").read() for n in os.listdir(self.path("d"))}
            for verb, *more in verbs:
                r = self.expect(code, verb, db, *more)
                lines = [x for x in r.stderr.splitlines() if "journal" in x]
                self.assertEqual(len(lines), 1, r.stderr)
                after = {n: open(self.path("d/" + n), "rb").read() for n in os.listdir(self.path("d"))}
                self.assertEqual(before, after, verb)
                self.assertTrue(os.path.exists(victim), verb)

    def test_a_journal_without_end(self):
        """It says that it has as many pages as fit, and is a hole of 1 TiB: reading each of these 2,000 million would take hours."""
        db = self.sample()
        with open(db + "-journal", "wb") as f:
            f.write(bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 0xffffffff, 0, 100, 512, 512))
            f.truncate(1 << 40)
        self.assertIn("the -journal beside it", self.expect(3, "summary", db).stderr)

    @preloads
    def test_summary_leaves_journals_of_strangers_alone(self):
        host = os.uname().nodename
        os.mkdir(self.path(host))
        db, victim = self.sample(f"{host}/1_srclines.db"), self.write("victim", "important")
        shutil.copy(db, self.path(f"{host}/2_srclines.db.partial"))
        self.plant_journal(db, victim)
        self.plant_journal(self.path(f"{host}/2_srclines.db.partial"), victim)
        r = self.expect(0, "run", "--gpu", "soft", "--", "/bin/true")
        self.assertNotIn("journal", r.stderr)
        self.assertTrue(os.path.exists(victim) and os.path.exists(db + "-journal"))

    def test_query_reads_only(self):
        db = self.sample()
        for sql in ("DELETE FROM note", "CREATE TABLE x(y)", "ATTACH 'other.db' AS o", "DROP VIEW line_view",
                    "PRAGMA user_version = 5", "VACUUM INTO 'copy.db'"):
            r = self.expect(1, "query", db, sql)
            self.assertIn("databases are not changed", r.stderr, sql)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.db", "transpose.hip"])
        self.assertIn("no such table: nonesuch", self.expect(1, "query", db, "SELECT * FROM nonesuch").stderr)
        self.assertIn("one SQL statement", self.expect(1, "query", db, "SELECT 1; SELECT 2").stderr)
        self.assertIn("one SQL statement", self.expect(1, "query", db, " ").stderr)

    def test_a_journal_is_no_recording(self):
        """`report x.db*` meets it, and says which file is meant."""
        path = self.sample("a.db.partial")
        for content in (b"", bytes(512), bytes.fromhex("d9d505f920a163d7") + bytes(504)):
            with open(path + "-journal", "wb") as f:
                f.write(content)
            for verb in (["report"], ["summary"], ["check"], ["annotate"]):
                done = self.expect(3, *verb, path + "-journal")
                self.assertIn(f"-journal: is what SQLite keeps beside a recording while it is written; give {path}", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
