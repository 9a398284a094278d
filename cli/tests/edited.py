"""Edited copies of the sample recording (results/tests/sample.c), and rows as the handler of advice stores them."""
import json
import sqlite3

from common import Case


class Edited(Case):
    def setUp(self):
        super().setUp()
        self.db = self.sample()

    def edit(self, name, *statements):
        """Another recording of the same program, changed with SQL."""
        path = self.sample(name, "77")
        c = sqlite3.connect(path)
        for statement in statements:
            c.execute(*statement) if isinstance(statement, tuple) else c.execute(statement)
        c.commit()
        c.close()
        return path

    def set_value(self, site, metric, value):
        return ("UPDATE value SET value = ? WHERE site = (SELECT id FROM site WHERE number = ?) AND metric = "
                "(SELECT id FROM metric WHERE name = ? AND handler = ?)",
                (value, site, metric, "memory_coalescing" if metric.startswith("Cache") else "lds_bank_conflicts"))


def copy_kernel(db):
    """The kernel `transpose` (1) once more as 1001, in a code object of its own: its sites are those of the first with 1000 added."""
    copied = {"module": {"hash": "'other'"}, "kernel": {"module": "module + 1000"}, "site": {"module": "module + 1000", "kernel": "kernel + 1000"}}
    for table, changed in copied.items():
        columns = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
        values = ", ".join({"id": "id + 1000", **changed}.get(c, f'"{c}"') for c in columns)
        db.execute(f"INSERT INTO {table} SELECT {values} FROM {table} {'WHERE id = 1' if table == 'kernel' else ''}")


def lds_row(conflicts, others_before, changes, executions=16, replayed=16):
    return json.dumps({"executions": executions, "replayed": replayed, "bytes": 4, "conflicts": conflicts,
                       "array_conflicts": conflicts + others_before, "step": 128, "banks": 32,
                       "changes": [{"kind": kind, "pitch": 128, "to": to, "unit": 4 if kind in ("xor", "split") else 0,
                                    "conflicts": after, "array_conflicts": after + others}
                                   for kind, to, after, others in changes]})


def global_row(kind, stride, lines, after, fields=(), pieces=1, piece_bytes=256):
    return json.dumps({"executions": 16, "replayed": 16, "bytes": 4, "lines": lines, "needed": 64, "kind": kind,
                       "stride": stride, "line_bytes": 64, "after": after, "fields": list(fields), "field_bytes": [4 for f in fields], "pieces": pieces,
                       "piece_bytes": piece_bytes})
