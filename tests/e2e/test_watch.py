"""What `lanescope run` shows on a terminal meanwhile is what it records."""

import os
import re
import subprocess
import sys
import threading

import profiling
from profiling import LANESCOPE

sys.path.insert(0, str(profiling.SOURCE.parent.parent / "cli" / "tests"))
from terminal import open_terminal, own_terminal, printed


def test_counts(programs, tmp_path):
    """Three dispatches, and their messages: the program ends only when the line has said so."""
    program, fifo, database = programs("waits.hip"), tmp_path / "go", tmp_path / "r.db"
    os.mkfifo(fifo)
    main, side = open_terminal(24, 120)
    process = subprocess.Popen([LANESCOPE, "run", "--gpu", profiling.GPU, "-o", database, "--", program, fifo], stdin=side, stdout=side,
                               stderr=side, preexec_fn=lambda: own_terminal(side), env=profiling.clean_environment(TERM="xterm"))
    os.close(side)
    guard = threading.Timer(profiling.TIMEOUT, process.kill)
    guard.start()
    data, shown = b"", None
    for block in printed(main, process):
        data += block
        found = re.search(r"lanescope: 3 dispatches, 3 observed; ([\d,]+) messages", data.decode(errors="replace"))
        if found and not shown:
            shown = int(found[1].replace(",", ""))
            with open(fifo, "w"):
                pass
    os.close(main)
    code = process.wait()
    guard.cancel()
    assert code == 0, data
    text = data.decode(errors="replace")
    assert "PASSED" in text and re.search(r"\x1b7\x1b\[r\x1b\[24;1H\x1b\[2K\x1b8", text), text
    rows = profiling.call(LANESCOPE, "query", "-f", "csv", database, "SELECT sum(messages), count(*) FROM dispatch").stdout.split()
    assert rows[1] == f"{shown},3", (rows, shown)
