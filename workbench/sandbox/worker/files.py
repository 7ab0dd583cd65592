"""Anonymous files: real, seekable descriptors without a name that anyone could find."""

import os
import tempfile


def scratch(content: bytes = b"") -> int:
    """Descriptor of a new anonymous file, positioned at its start.

    Raises:
        OSError: memory or the temporary directory is full.
    """
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("run", os.MFD_CLOEXEC)
    else:
        descriptor, path = tempfile.mkstemp()
        os.unlink(path)
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def read_from_start(descriptor: int, limit: int) -> bytes:
    """The first `limit` bytes of a file, wherever its position is."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts: list[bytes] = []
    while limit > 0 and (part := os.read(descriptor, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
