"""What the tests of `lanescope convert` share: the recording of test_times.py as process 11, which ends at 9000000 ns.

Sums of each observed dispatch (1 and 2), over the sites that results/tests/sample.c lists:

    LDS     executions 3 * 16 = 48, lanes 1024 + 1024 + 512 = 2560, index 32 + 512 + 100 = 644, conflict 480 + 60 = 540, addr 0
    global  executions 48, lanes 3 * 1024 = 3072, bytes 3 * 4096 = 12288, lines 64 + 1024 + 128 = 1216, needed 3 * 64 = 192,
            requests 256 + 1024 + 512 = 1792, wavefronts 3 * 16 = 48"""
import sqlite3

import test_times
from common import Case

SUMS = {"lds_bank_conflicts": {"Executions": 48, "Active Lanes": 2560, "Index Accesses": 644, "Bank Conflict": 540,
                               "Addr Conflict": 0},
        "memory_coalescing": {"Executions": 48, "Active Lanes": 3072, "Bytes": 12288, "Cache Lines": 1216,
                              "Cache Lines Needed": 192, "TA Requests": 1792, "Wavefronts": 48}}


class ConvertCase(Case):
    def recording(self, name="a.db", *more, pid="11"):
        path = self.sample(name, pid)
        self.change(path, "UPDATE process SET end_ns = 9000000")
        db = sqlite3.connect(path)
        with db:
            db.executemany("UPDATE dispatch SET start_ns = ?, end_ns = ?, queue = ?, thread = ?, submit_ns = ?"
                           " WHERE number = ?", test_times.DISPATCHES)
            db.executemany(test_times.ADD_COPY, test_times.COPIES)
            db.executemany("INSERT INTO marker VALUES(NULL, 1, ?, ?, ?, ?, ?)", test_times.MARKERS)
        db.close()
        self.change(path, *more)
        return path

    def change(self, path, *statements):
        db = sqlite3.connect(path)
        with db:
            for statement in statements:
                db.execute(*([statement] if isinstance(statement, str) else statement))
        db.close()
