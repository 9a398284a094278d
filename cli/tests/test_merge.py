"""`lanescope merge`, and more databases than a process may have open."""
import csv
import fcntl
import glob
import io
import json
import os
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from common import LANESCOPE, Case, environment


class Merge(Case):
    def report(self, *databases):
        return json.loads(self.expect(0, "report", "--json", *databases).stdout)

    def csv_rows(self, *databases):
        rows = csv.DictReader(io.StringIO(self.expect(0, "report", "--csv", *databases).stdout))
        return sorted(tuple(sorted(row.items())) for row in rows)

    def test_sums_are_those_of_the_report(self):
        parts = [self.sample("a.db", "11"), self.sample("b.db", "12"), self.sample("c.db", "13", "killed")]
        self.expect(0, "merge", *parts, "-o", "all.db")
        self.expect(0, "check", "all.db")
        self.assertEqual(self.csv_rows("all.db"), self.csv_rows(*parts))
        databases = self.report("all.db")["databases"]
        self.assertEqual([d["pid"] for d in databases], [11, 12, 13])
        self.assertEqual([d["part"] for d in databases], parts)
        # Each is told, not the merged file's name as often.
        for verb, head in (("summary", "all.db: %s"), ("diff", "before: all.db  %s: ")):
            told = self.lanescope(verb, "all.db", *["all.db"] * (verb == "diff")).stdout
            self.assertEqual([part for part in parts if head % part not in " ".join(told.split("\n        "))], [], told)
        self.assertEqual([d["partial"] for d in databases], [False, False, True])

    def test_a_merge_is_merged_again(self):
        parts = [self.sample("a.db", "11"), self.sample("b.db", "12"), self.sample("c.db", "13")]
        self.expect(0, "merge", *parts[:2], "-o", "two.db")
        self.expect(0, "merge", "two.db", parts[2], "-o", "all.db")
        self.assertEqual(self.csv_rows("all.db"), self.csv_rows(*parts))
        self.assertEqual([d["part"] for d in self.report("all.db")["databases"]], parts)
        r = self.expect(3, "merge", "two.db", parts[0], "-o", "again.db")
        self.assertIn("is the same recording as", r.stderr)
        self.assertFalse(os.path.exists(self.path("again.db")))
        self.assertIn("would count twice", self.expect(3, "report", "two.db", parts[0]).stderr)

    def test_older_recordings(self):
        """The database of version 0.1 lacks tables and columns."""
        old, new = self.old("old.db", self.sample("new.db", "11")), self.sample("a.db", "12", "shared")
        self.expect(0, "merge", old, new, "-o", "all.db")
        self.expect(0, "check", "all.db")
        rows = self.csv_rows("all.db")
        self.assertTrue(rows)
        self.assertEqual(rows, self.csv_rows(old, new))
        self.assertEqual([d["part"] for d in self.report("all.db")["databases"]], [old, new])

    def test_values_that_dispatches_share(self):
        """The sample's two dispatches have the same values; stored once, they are what they are stored twice."""
        twice, once = self.sample("twice.db", "11"), self.sample("once.db", "12", "shared")
        values = [sqlite3.connect(path).execute("SELECT * FROM value ORDER BY 1, 2, 3").fetchall() for path in (twice, once)]
        self.assertEqual(*values)
        self.assertEqual(sqlite3.connect(once).execute("SELECT count(*) FROM own_value").fetchone()[0] * 2, len(values[0]))
        self.assertEqual(self.csv_rows(once), self.csv_rows(twice))
        self.assertIn("good, schema 2, complete", self.expect(0, "check", once).stdout)
        self.assertIn("no change: transpose", self.expect(0, "diff", twice, once).stdout)
        self.assertEqual(*[self.expect(0, "convert", path, "--to", "folded", "--metric", "Cache Lines", "-o", "-").stdout for path in (twice, once)])
        self.assertEqual(*[self.values_in_csv(path) for path in (twice, once)])
        self.edit("once.db", ("INSERT INTO own_value SELECT 2, site, metric, 1 FROM own_value LIMIT 1",))
        self.assertIn("has another one's values and its own: dispatch 2", self.lanescope("check", once).stdout)
        self.edit("once.db", ("UPDATE dispatch SET same_as = 2 WHERE id = 1",))
        self.assertIn("has the values of a dispatch that has none of its own: dispatch 1", self.lanescope("check", once).stdout)

    def values_in_csv(self, path):
        self.expect(0, "convert", path, "--to", "csv", "-o", path + ".csv")
        with open(glob.glob(path + ".csv/**/*counter_collection.csv", recursive=True)[0]) as f:
            return [(row["Dispatch_Id"], row["Counter_Name"], row["Counter_Value"]) for row in csv.DictReader(f)]

    def notes(self, *databases):
        return [(n["text"], n["count"]) for n in self.report(*databases)["notes"]]

    def edit(self, name, *statements):
        db = sqlite3.connect(self.path(name))
        for s in statements:
            db.execute(*s)
        db.commit()
        db.close()

    def test_sources_that_differ(self):
        """The first text stays, as in a report of both, and a note says so: once, however often texts differ."""
        a, b, c = (self.sample(n + ".db", p) for n, p in (("a", "11"), ("b", "12"), ("c", "13")))
        same = self.notes(a)
        for name in ("b.db", "c.db"):
            self.edit(name, ("UPDATE source_file SET text = 'other' || id || ?", (name,)))
        self.expect(0, "merge", a, b, c, "-o", "all.db")
        self.expect(0, "check", "all.db")
        added = [n for n in self.notes("all.db") if n[0] not in dict(same)]
        self.assertEqual(added, [(self.path("transpose.hip") + ": the merged recordings hold different texts of this file;"
                                  " the first one's is shown", 1)])
        self.assertEqual(self.report("all.db")["files"][0]["text"], self.report(a)["files"][0]["text"])
        for verb in (["annotate"], ["explain"], ["report", "--csv"], ["list", "kernels"]):  # numbers may stand at wrong lines
            self.assertIn("the merged recordings hold different texts of this file", self.expect(0, *verb, "all.db").stderr, verb)
        self.expect(0, "merge", "all.db", self.sample("d.db", "14"), "-o", "more.db")
        self.assertEqual([n for n in self.notes("more.db") if n[0] not in dict(same)], added)

    def test_a_text_that_the_first_lacks(self):
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        want = self.report(b)["files"][0]["text"]
        self.edit("a.db", ("UPDATE source_file SET text = NULL, problem = 'it was not there'",))
        self.expect(0, "merge", a, b, "-o", "all.db")
        self.assertEqual(self.report("all.db")["files"][0]["text"], want)
        self.assertFalse([n for n in self.notes("all.db") if "different texts" in n[0]])

    def test_newer_tables_are_named(self):
        db = sqlite3.connect(self.sample("a.db"))
        db.execute("CREATE TABLE of_tomorrow(id INTEGER PRIMARY KEY)")
        db.commit()
        db.close()
        r = self.expect(3, "merge", "a.db", "-o", "all.db")
        self.assertIn("a.db: has of_tomorrow.id, which this Lanescope", r.stderr)
        self.assertFalse([name for name in os.listdir(self.dir) if name.startswith("all.db")])

    def test_dangling_references_are_refused(self):
        db = sqlite3.connect(self.sample("a.db"))
        db.execute("UPDATE site SET frame = 999999 WHERE id = (SELECT min(id) FROM site)")
        db.commit()
        db.close()
        self.assertIn("refers to a missing frame", self.expect(3, "merge", "a.db", "-o", "all.db").stderr)

    def test_standard_output_is_no_place(self):
        """Where other verbs take `-` for it, this one must not make a file of that name."""
        said = self.expect(2, "merge", self.sample("a.db"), "-o", "-").stderr
        self.assertIn("--output: -: a database cannot be written to standard output; give the name of a file", said)
        self.assertFalse(os.path.exists(self.path("-")))

    def test_what_is_not_replaced(self):
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        self.assertIn("one of the databases to merge", self.expect(2, "merge", a, b, "-o", a).stderr)
        self.assertIn("no earlier merge", self.expect(2, "merge", a, "-o", b).stderr)
        self.write("notes.txt", "mine")
        self.assertIn("no recording of Lanescope", self.expect(2, "merge", a, "-o", "notes.txt").stderr)
        self.expect(2, "merge", a)
        self.expect(0, "merge", a, "-o", "all.db")
        self.expect(0, "merge", b, "-o", "all.db")
        self.assertEqual([d["pid"] for d in self.report("all.db")["databases"]], [12])
        os.symlink("notes.txt", self.path("link"))
        self.assertIn("symbolic link", self.expect(2, "merge", "--force", a, "-o", "link").stderr)
        self.assertEqual(self.text("notes.txt"), "mine")
        for name in ("notes.txt", b):
            self.expect(0, "merge", "--force", a, "-o", name)
            self.assertEqual([d["pid"] for d in self.report(name)["databases"]], [11])

    def leftovers(self):
        return sorted(name for name in os.listdir(self.dir) if name.startswith("all.db"))

    def test_files_that_cannot_grow(self):
        """The kernel ends it when it writes beyond 16 KiB."""
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

        r = subprocess.run([LANESCOPE, "merge", a, b, "-o", "all.db"], cwd=self.dir, env=environment(), capture_output=True,
                           timeout=300, preexec_fn=limit)
        self.assertEqual(r.returncode, -signal.SIGXFSZ)
        self.assertEqual(self.leftovers(), [])

    def merge_and_signal(self, a, b, number):
        """While another process writes a database, reading it waits: then comes the signal. Should the merge have been over
        already, it is tried again."""
        for _ in range(20):
            writer = sqlite3.connect(b)
            writer.execute("BEGIN EXCLUSIVE")
            merge = subprocess.Popen([LANESCOPE, "merge", a, b, "-o", "all.db"], cwd=self.dir, env=environment(),
                                     stderr=subprocess.DEVNULL)
            while merge.poll() is None and not self.leftovers():
                time.sleep(0.01)
            merge.send_signal(number)
            merge.wait(300)
            writer.rollback()
            writer.close()
            if merge.returncode == -number:
                break
            self.expect(0, "merge", a, "-o", "all.db")
            os.unlink(self.path("all.db"))
        self.assertEqual(merge.returncode, -number)

    def test_a_killed_merge(self):
        """What it leaves is no database, and the next merge takes its place."""
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        self.merge_and_signal(a, b, signal.SIGKILL)
        self.assertEqual(self.leftovers(), ["all.db.merging"])
        self.expect(3, "report", "all.db")
        self.expect(3, "report", "all.db.merging")
        self.expect(0, "merge", a, b, "-o", "all.db")
        self.assertEqual(self.leftovers(), ["all.db"])
        self.assertEqual(self.csv_rows("all.db"), self.csv_rows(a, b))

    def test_an_interrupted_merge(self):
        a, b = self.sample("a.db", "11"), self.sample("b.db", "12")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.merge_and_signal(a, b, number)
            self.assertEqual(self.leftovers(), [])

    def test_two_merges_of_one_name(self):
        a = self.sample("a.db", "11")
        self.expect(0, "merge", a, "-o", "all.db.merging")
        with open(self.path("all.db.merging"), "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            r = self.expect(1, "merge", a, "-o", "all.db")
            self.assertIn("all.db.merging: cannot write the database: another merge is writing it", r.stderr)
        self.expect(0, "merge", a, "-o", "all.db")
        self.write("all.db.merging", "mine")
        r = self.expect(1, "merge", a, "-o", "all.db")
        self.assertIn("it exists and is nothing that a merge left behind", r.stderr)
        with open(self.path("all.db.merging")) as f:
            self.assertEqual(f.read(), "mine")

    def test_a_thousand_databases_and_64_files(self):
        """Each is a copy of one recording under a name of its own, which the file holds as plain text. All verbs open them the same
        way: a hundred, more than may be open, tell as much of those that merge and report are not needed for."""
        with open(self.sample(), "rb") as f:
            data = f.read()
        db = sqlite3.connect(self.path("a.db"))
        guid = db.execute("SELECT guid FROM process").fetchone()[0].encode()
        db.close()
        os.mkdir(self.path("many"))
        names = []
        for i in range(1000):
            names.append("many/%d.db" % i)
            self.write(names[-1], data.replace(guid, guid[:-4] + b"%04x" % i))
        one = {k: v for k, v in self.rows("a.db")}

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

        def call(*args):
            r = subprocess.run([LANESCOPE, *args], cwd=self.dir, env=environment(), capture_output=True, text=True,
                               timeout=300, preexec_fn=limit)
            self.assertEqual(r.returncode, 0, r.stderr)
            return r.stdout

        call("merge", *names, "-o", "all.db")
        call("report", "--csv", "-o", "many.csv", *names)
        some = names[:100]
        call("merge", *some, "-o", "some.db")
        call("check", "-q", *some)
        call("summary", *some)
        self.assertEqual(call("annotate", *some), call("annotate", "some.db"))
        for what in ("metrics", "kernels"):
            self.assertEqual(call("list", what, *some), call("list", what, "some.db"))
        self.assertIn(str(3 * 100), call("list", "kernels", *some))  # three dispatches in each
        self.assertEqual({k: 1000 * v for k, v in one.items()}, dict(self.rows("all.db")))
        with open(self.path("many.csv"), newline="") as f:
            many = sorted(tuple(sorted(row.items())) for row in csv.DictReader(f))
        self.assertEqual(many, self.csv_rows("all.db"))

    def rows(self, name):
        db = sqlite3.connect(self.path(name))
        found = db.execute("SELECT handler || '.' || name, sum(value) FROM value JOIN metric m ON m.id = metric"
                           " GROUP BY 1").fetchall()
        db.close()
        return found


if __name__ == "__main__":
    unittest.main()
