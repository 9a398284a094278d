"""The comparison that all numbers rest on (lines.py) sees each number of a database that is changed."""

import contextlib
import shutil
import sqlite3

import pytest

import access_log
import hardware
import lines
from profiling import Profile

COMPARED = """FROM value v JOIN metric m ON m.id = v.metric JOIN site s ON s.id = v.site
              WHERE s.isa_join IN (1, 2) AND m.name IN ({})""".format(", ".join(f"'{m}'" for m in lines.METRICS))
ONE = "WHERE dispatch = ? AND site = ? AND metric = ?"


def own_values_for_each(db):
    """Where dispatches share values, `value` is a view, which cannot be changed."""
    if db.execute("SELECT type FROM sqlite_master WHERE name = 'value'").fetchone() == ("view",):
        db.executescript("CREATE TEMP TABLE all_values AS SELECT * FROM value; DROP VIEW value; CREATE TABLE value AS SELECT * FROM all_values")


class Recorded:
    def __init__(self, programs, directory):
        program = programs("two_a_line.hip", "-O3", "-g")
        log = directory / "access.log"
        self.observed = Profile(directory / "observed", program)
        self.original = Profile(directory / "original", program, options=("--kernel-include-regex", "^$", "--access-log", log))
        assert (self.observed.done.returncode, self.original.done.returncode) == (0, 0), self.observed.done.stderr
        self.loaded, self.images = lines.Report(self.original.database), hardware.Code.of_program(program, directory)
        self.log, self.directory = log, directory

    def compared(self, *changes):
        """lines.Result of the database with these statements done to it."""
        database = self.directory / "changed.db"
        shutil.copy(self.observed.database, database)
        with contextlib.closing(sqlite3.connect(database)) as db:
            own_values_for_each(db)
            for sql, *values in changes:
                assert db.execute(sql, values).rowcount > 0, sql
            db.commit()
        return lines.Comparison(lines.Report(database), self.loaded, self.images, skip=0).feed(self.log)


@pytest.fixture(scope="module")
def recorded(programs, tmp_path_factory):
    return Recorded(programs, tmp_path_factory.mktemp("comparison"))


def test_as_it_is(recorded):
    r = recorded.compared()
    assert not r.wrong and r.counted and not r.not_joined


@pytest.mark.parametrize("change", [f"UPDATE value SET value = value + 1 {ONE}", f"UPDATE value SET value = value - 1 {ONE}",
                                    f"DELETE FROM value {ONE}"])
def test_each_value(recorded, change):
    rows = recorded.observed.query(f"SELECT v.dispatch, v.site, v.metric, m.name, v.value {COMPARED}")
    assert {name for *_, name, _ in rows} == set(lines.METRICS)
    unseen = [(key, name) for *key, name, value in rows
              if (value or "DELETE" not in change) and not recorded.compared((change, *key)).wrong]
    assert not unseen


def test_two_that_make_up_for_each_other(recorded):
    """Two accesses of one kind on one line, of which one has what the other lacks: their sum is right."""
    rows = recorded.observed.query(
        f"""SELECT v.dispatch, min(s.id), max(s.id), m.id {COMPARED}
            GROUP BY v.dispatch, m.id, s.kind, (SELECT file || line FROM site_view WHERE site = s.id) HAVING count(*) > 1""")
    assert rows
    for dispatch, a, b, metric in rows:
        assert recorded.compared((f"UPDATE value SET value = value + 1 {ONE}", dispatch, a, metric),
                                 (f"UPDATE value SET value = value - 1 {ONE}", dispatch, b, metric)).wrong


def test_each_instruction(recorded):
    """One that is neither counted nor named, and one that is named and also counted."""
    rows = recorded.observed.query("SELECT v.instruction FROM vector_instruction v JOIN instruction i ON i.id = v.instruction"
                                   " WHERE i.site IS NOT NULL")
    assert rows
    for row, in rows:
        assert recorded.compared(("DELETE FROM vector_instruction WHERE instruction = ?", row)).wrong
        assert recorded.compared(("UPDATE instruction SET site = NULL WHERE id = ?", row)).wrong


def test_copies_that_read_nothing():
    """To LDS, of lanes that are all out of the buffer's range: three of two lanes, of which the log has the write, as second part. Beside
    it a read of two places."""
    at = lambda line: hardware.Place("k", 0, "a.py", line, (), 0)  # noqa: E731
    shape = lambda offset, part, kind: hardware.Shape(offset, part, kind, access_log.LDS, 4, 3, (0, 4))  # noqa: E731
    shapes = {shape(16, 1, access_log.STORE): 3, shape(32, 0, access_log.LOAD): 1, shape(32, 1, access_log.LOAD): 1}
    want = hardware.expected(shapes, {16: at(5), 32: at(6)}, "gfx950")
    assert [want["lds_bank_conflicts", metric, "store", "a.py", 5] for metric in ("Executions", "Active Lanes")] == [3, 6]
    assert [want["lds_bank_conflicts", metric, "load", "a.py", 6] for metric in ("Executions", "Active Lanes")] == [1, 2]
