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
    # By its true size: making room for the limit would cost more than most runs.
    left = min(os.fstat(descriptor).st_size, limit)
    parts: list[bytes] = []
    while left > 0 and (part := os.pread(descriptor, left, sum(map(len, parts)))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
