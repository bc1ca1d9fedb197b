"""Tensors to and from safetensors files, written by hand: eight bytes of length, a JSON header, the raw data. No pickle.
PyTorch is imported when a function here is called, never by `import ironlaw`."""

from __future__ import annotations

import ctypes
import json
import mmap
import random
from pathlib import Path
from typing import Any, BinaryIO, Dict, Mapping, Optional, Tuple

Tensors = Dict[str, Any]

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}  # fmt: skip


# What a file says about the nesting of its tensors is kept under this name, by state_dict.py.
STRUCTURE = "ironlaw.state"


def write(file: BinaryIO, tensors: Mapping[Any, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Tensors by name, or nested as `optimizer.state_dict()` has them: dicts, lists, numbers and text among them."""
    if all(isinstance(name, str) and hasattr(tensor, "element_size") for name, tensor in tensors.items()):
        write_flat(file, tensors, metadata)
    else:
        from ironlaw import state_dict

        state_dict.write(file, tensors, metadata)


def write_flat(file: BinaryIO, tensors: Mapping[str, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Widest elements first, so that every tensor begins at a multiple of its element."""
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header: Dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name in order:
        tensor = tensors[name]
        begin, end = end, end + tensor.numel() * tensor.element_size()
        kind = str(tensor.dtype).split(".")[-1]
        if kind not in _NAMES:
            raise TypeError(f"{name} is of {kind}, which a safetensors file cannot hold")
        header[name] = {"dtype": _NAMES[kind], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    in_memory = hasattr(file, "window")
    if in_memory:
        file.reserve(8 + len(text) + end)  # type: ignore[attr-defined]
    file.write(len(text).to_bytes(8, "little") + text)
    for name in order:
        if tensors[name].numel():
            (_copy if in_memory else _write)(file, tensors[name].detach())


def _copy(file: Any, tensor: Any) -> None:
    """From the device to where the file lies in memory, without anything in between."""
    import torch

    window = file.window(tensor.numel() * tensor.element_size())
    torch.frombuffer(window, dtype=tensor.dtype).view(tensor.shape).copy_(tensor)


def _write(file: BinaryIO, tensor: Any) -> None:
    whole = tensor.cpu().contiguous()
    size = whole.numel() * whole.element_size()
    file.write(memoryview((ctypes.c_char * size).from_address(whole.data_ptr())))


def read(path: Path) -> Tensors:
    """As it was written, nested or not. Maps the file: pages are read when touched, and writing to a tensor does not reach the file."""
    if STRUCTURE not in metadata(path):
        return read_flat(path)
    from ironlaw import state_dict

    return state_dict.read(path)


def read_flat(path: Path) -> Tensors:
    import torch

    dtypes = {text: getattr(torch, name, None) for name, text in _NAMES.items()}
    with open(path, "rb") as file:
        length, header = _header(file)
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    header.pop("__metadata__", None)
    return {name: _view(torch, data, 8 + length, {**entry, "dtype": dtypes[entry["dtype"]]}) for name, entry in header.items()}


def metadata(path: Path) -> Dict[str, str]:
    with open(path, "rb") as file:
        return dict(_header(file)[1].get("__metadata__", {}))


def _header(file: BinaryIO) -> Tuple[int, Dict[str, Any]]:
    length = int.from_bytes(file.read(8), "little")
    return length, json.loads(file.read(length))


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
