"""What `lanescope run` shows on a terminal meanwhile is what it records."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

import profiling
from profiling import LANESCOPE


def test_counts(programs, tmp_path):
    """Three dispatches, and their messages: the program ends only when the line has said so."""
    program, fifo, database = programs("waits.hip"), tmp_path / "go", tmp_path / "r.db"
    os.mkfifo(fifo)
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))

    def own_terminal():
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)

    process = subprocess.Popen([LANESCOPE, "run", "--gpu", profiling.GPU, "-o", database, "--", program, fifo], stdin=side, stdout=side,
                               stderr=side, preexec_fn=own_terminal, env=profiling.clean_environment(TERM="xterm"))
    os.close(side)
    guard = threading.Timer(profiling.TIMEOUT, process.kill)
    guard.start()
    data, shown = b"", None
    while True:
        try:
            block = os.read(main, 65536)
        except OSError:  # all have closed it
            break
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
