"""A file system that hangs: it is mounted at the given directory, takes every request and answers none, as NFS does without its server.
A process that touches it sleeps uninterruptibly, even by SIGKILL, until this process ends. Needs root and /dev/fuse."""

import ctypes
import os
import struct
import sys

INIT = 26
directory = sys.argv[1]
device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
if libc.mount(b"hanging", directory.encode(), b"fuse", 0, options) != 0:
    sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")
print("mounted", flush=True)
while True:
    request = os.read(device, 1 << 17)
    _, opcode, unique = struct.unpack_from("<IIQ", request)
    if opcode == INIT:
        # Version 7.19, no read-ahead, no flags, 4 kB at most a write.
        answer = struct.pack("<IIIIHHI", 7, 19, 0, 0, 1, 1, 4096)
        os.write(device, struct.pack("<IiQ", 16 + len(answer), 0, unique) + answer)
