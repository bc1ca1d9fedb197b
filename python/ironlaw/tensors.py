"""Tensors to and from safetensors files, written by hand: eight bytes of length, a JSON header, the raw data. No pickle.
PyTorch is imported when a function here is called, never by `import ironlaw`."""

from __future__ import annotations

import ctypes
import json
import mmap
import random
from pathlib import Path
from typing import Any, BinaryIO, Dict, Mapping, Optional

Tensors = Dict[str, Any]

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip


def write(file: BinaryIO, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Widest elements first, so that every tensor begins at a multiple of its element."""
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header: Dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name in order:
        tensor = tensors[name]
        begin, end = end, end + tensor.numel() * tensor.element_size()
        dtype = _NAMES[str(tensor.dtype).split(".")[-1]]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name in order:
        tensor = tensors[name].detach().cpu().contiguous()
        size = tensor.numel() * tensor.element_size()
        if size:
            file.write(memoryview((ctypes.c_char * size).from_address(tensor.data_ptr())))


def read(path: Path) -> Tensors:
    """Maps the file: pages are read when touched, and writing to a tensor does not reach the file."""
    import torch

    dtypes = {text: getattr(torch, name) for name, text in _NAMES.items()}
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    header.pop("__metadata__", None)
    return {name: _view(torch, data, 8 + length, {**entry, "dtype": dtypes[entry["dtype"]]}) for name, entry in header.items()}


def _view(torch: Any, data: mmap.mmap, start: int, entry: Mapping[str, Any]) -> Any:
    begin, end = entry["data_offsets"]
    if begin == end:
        return torch.empty(entry["shape"], dtype=entry["dtype"])
    count = 1
    for size in entry["shape"]:
        count *= size
    return torch.frombuffer(data, dtype=entry["dtype"], count=count, offset=start + begin).reshape(entry["shape"])


def random_state() -> Tensors:
    """The generators of Python and PyTorch, as tensors for a shard."""
    import torch

    words = random.getstate()[1]
    state = {"random.torch": torch.get_rng_state(), "random.python": torch.tensor([*words], dtype=torch.int64)}
    if torch.cuda.is_available():
        state["random.cuda"] = torch.cuda.get_rng_state()
    return state


def restore_random_state(tensors: Mapping[str, Any]) -> None:
    import torch

    torch.set_rng_state(tensors["random.torch"].clone())
    random.setstate((3, tuple(tensors["random.python"].tolist()), None))
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"].clone())
