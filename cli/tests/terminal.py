"""A pseudo-terminal for tests."""
import fcntl
import os
import pty
import struct
import termios
import time


def open_terminal(rows, columns):
    """Both ends, the tests' and the program's. 0 rows or columns: it does not say how large it is. OSError where there is none."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return main, side


def own_terminal(side):
    """For a child before its program starts: the leader of a session whose terminal this is."""
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)


def printed(main, process):
    """What comes to a terminal, block by block, until the process, which alone has the other end, has ended and all is read.

    That the other end is closed (EIO) says on a busy machine neither that nothing is left to be read nor that the process has ended:
    only a reading that began behind the process's end and found nothing does."""
    while True:
        ended = process.poll() is not None
        try:
            block = os.read(main, 65536)
        except OSError:
            block = b""
        if block:
            yield block
        elif ended:
            return
        else:
            time.sleep(0.01)
