"""Recordings with many of one thing: the time that a verb needs grows as the file does. What looks through all kernels for each of them
needs minutes here, and is ended by its limit."""
import os
import resource
import sqlite3
import subprocess
import unittest

import hostile
from common import Case, LANESCOPE, environment

N = 100000
SECONDS = 25    # of processor time; what is linear needs about two
MANY = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT %d) " % N


class Many(Case):
    def setUp(self):
        super().setUp()
        self.good = self.sample("good.db")
        hostile.fill(self.good)
        self.db = sqlite3.connect(self.good, isolation_level=None)
        self.db.execute("PRAGMA foreign_keys = OFF")
        self.db.execute("BEGIN")

    def add(self, table, like, **columns):
        """N rows like the first one for which `like` is true; `columns` by expressions of x."""
        names = [row[1] for row in self.db.execute("PRAGMA table_info(%s)" % table)]
        values = ", ".join(columns.get(name, 'o."%s"' % name) for name in names)
        self.db.execute(MANY + "INSERT INTO %s SELECT %s FROM n, (SELECT * FROM %s WHERE %s LIMIT 1) o" % (table, values, table, like))

    def expect_soon(self, *args):
        r = subprocess.run([LANESCOPE, *args, self.good], cwd=self.dir, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        self.assertEqual(r.returncode, 0, (args, r.stderr[-1000:]))
        return r.stdout

    def test_kernels(self):
        """Each with a dispatch, and an instruction that no access explains."""
        self.add("kernel", "1", id="1000000 + x", name="'k' || x", mangled="'k' || x")
        self.add("dispatch", "observed", id="1000000 + x", number="1000000 + x", kernel="1000000 + x", bad="0", dropped="0")
        self.add("instruction", "1", id="1000000 + x", kernel="1000000 + x", site="NULL", line="1 + x % 9")
        self.db.execute("INSERT INTO vector_instruction(instruction, together, tells) SELECT id, 1, 0 FROM instruction WHERE id > 1000000")
        self.db.execute("COMMIT")
        self.expect_soon("report", "--csv")
        self.expect_soon("list", "kernels")

    def test_instructions(self):
        """Of one kernel: as many that no access explains, each at a line of its own, and as many that another one's line counts."""
        kernel, = self.db.execute("SELECT kernel FROM dispatch WHERE observed").fetchone()
        self.add("instruction", "1", id="1000000 + x", kernel=str(kernel), site="NULL", line="x", offset="4 * x")
        self.db.execute("INSERT INTO vector_instruction(instruction, together, tells) SELECT id, 1, 0 FROM instruction WHERE id > 1000000")
        lead, file = self.db.execute("SELECT s.id, f.file FROM site s JOIN frame f ON f.id = s.frame JOIN value v ON v.site = s.id LIMIT 1").fetchone()
        self.add("frame", "1", id="1000000 + x", file=str(file), line="1000 + x", parent="NULL")
        self.add("site", "id = %d" % lead, id="1000000 + x", number="1000000 + x", frame="1000000 + x", kernel=str(kernel), counted_at=str(lead))
        self.db.execute("UPDATE dispatch SET bad = 0, dropped = 0")
        self.db.execute("COMMIT")
        self.assertIn("%s vector memory instructions that no observed access explains" % N, self.expect_soon("report"))
        self.expect_soon("annotate", "--json")


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
