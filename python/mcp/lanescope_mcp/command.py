"""Commands with limits of time and of output, started with a list of words."""
import asyncio
import os
import signal
from dataclasses import dataclass

PATIENCE = 5  # seconds between SIGTERM and SIGKILL


@dataclass
class Finished:
    code: int  # as subprocess has it: of a signal its negative number
    out: bytes
    err: bytes
    out_whole: bool  # nothing of the output was left out
    timed_out: bool


class Kept:
    """The beginning and the end of a stream: no more than `most` bytes."""

    def __init__(self, most):
        self.half, self.head, self.tail, self.lost = most // 2, b"", b"", 0

    def add(self, part):
        room = self.half - len(self.head)
        self.head += part[:room] if room > 0 else b""
        self.tail += part[max(room, 0):]
        more = len(self.tail) - self.half
        if more > 0:
            self.lost += more
            self.tail = self.tail[more:]

    def content(self):
        return self.head + (f"\n[{self.lost} bytes left out]\n".encode() if self.lost else b"") + self.tail


async def _read(stream, kept):
    while part := await stream.read(1 << 16):
        kept.add(part)


def _signal(process, number):
    """To the command and what it started: it is the leader of a group of its own."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


async def _end(process):
    _signal(process, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), PATIENCE)
    except asyncio.TimeoutError:
        pass
    _signal(process, signal.SIGKILL)
    await process.wait()


async def run(words, *, timeout, most, directory=None):
    """Runs a command to its end, or to `timeout` seconds. Of each of its streams `most` bytes are kept. Raises OSError when it
    cannot be started, ValueError for words that no command can have (NUL)."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        cwd=directory, start_new_session=True)
    out, err, timed_out = Kept(most), Kept(most), False
    readers = asyncio.gather(_read(process.stdout, out), _read(process.stderr, err))
    try:
        await asyncio.wait_for(asyncio.gather(asyncio.shield(readers), process.wait()), timeout)
    except asyncio.TimeoutError:
        timed_out = True
    finally:  # also when the client has cancelled the call
        if process.returncode is None or timed_out:
            await asyncio.shield(asyncio.create_task(_end(process)))  # a second cancellation does not stop it
        if not readers.done():  # a process that left the group may keep the streams open
            await asyncio.wait([readers], timeout=1)
            readers.cancel()
    return Finished(process.returncode, out.content(), err.content(), not out.lost, timed_out)
