"""A file system whose one file, `file`, can be opened and never be read, as on a disk that does not answer.

How this works. We are its server, by the kernel's FUSE protocol, and answer all but reads. A program that reads waits
where no signal reaches it, until the connection ends. Mounting it takes root and /dev/fuse.
"""

import ctypes
import os
import struct
import threading
from pathlib import Path

LOOKUP, FORGET, GETATTR, OPEN, READ, INIT, OPEN_FOLDER, LIST = 1, 2, 3, 14, 15, 26, 27, 28
FOLDER, FILE = 1, 2
FILE_BYTES = 1 << 20
MOST_REQUEST_BYTES = 1 << 17
HEADER = struct.Struct("<IiQ")
NOT_THERE = -38
MNT_FORCE, MNT_DETACH = 1, 2
libc = ctypes.CDLL(None, use_errno=True)


class SlowDisk:
    """The file system, mounted at a folder. `is_read`: set once a program waits for its file."""

    def __init__(self, folder: Path) -> None:
        """Mount it. Raises OSError where that cannot be done."""
        self.folder = folder
        self.is_read = threading.Event()
        self._device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self._device},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"slow", str(folder).encode(), b"fuse", 0, options.encode()):
            os.close(self._device)
            raise OSError(ctypes.get_errno(), "cannot be mounted")
        threading.Thread(target=self._serve, daemon=True).start()

    def end(self) -> None:
        libc.umount2(str(self.folder).encode(), MNT_FORCE)
        libc.umount2(str(self.folder).encode(), MNT_DETACH)

    def _serve(self) -> None:
        """Answer until the connection ends."""
        while True:
            try:
                request = os.read(self._device, MOST_REQUEST_BYTES)
            except OSError:
                os.close(self._device)
                return
            _, call, number, node = struct.unpack_from("<IIQQ", request)
            if call == READ:
                self.is_read.set()
            if call not in {READ, FORGET}:
                body = answer_to(call, node)
                error = 0 if body or call == LIST else NOT_THERE
                os.write(self._device, HEADER.pack(HEADER.size + len(body), error, number) + body)


def answer_to(call: int, node: int) -> bytes:
    """Return what the kernel wants to know; nothing for calls that there need not be."""
    if call == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 0, 0, 0, 0, 4096, 1, 0, 0, *[0] * 8)[:64]
    if call == GETATTR:
        return struct.pack("<QII", 60, 0, 0) + attributes(node)
    if call == LOOKUP:
        return struct.pack("<4Q2I", FILE, 0, 60, 60, 0, 0) + attributes(FILE)
    return struct.pack("<QII", 0, 0, 0) if call in {OPEN, OPEN_FOLDER} else b""


def attributes(node: int) -> bytes:
    mode, size = (0o40755, 0) if node == FOLDER else (0o100644, FILE_BYTES)
    return struct.pack("<6Q10I", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
