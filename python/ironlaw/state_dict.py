"""Nested state to and from one safetensors file: what `torch.distributed.checkpoint.state_dict.get_state_dict` gives, or any nesting
of dicts, lists, tensors, numbers and text. Of a distributed tensor each rank keeps its own part. No pickle: what a file says about
the nesting is JSON in its header."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Sequence, Tuple

from ironlaw import tensors
from ironlaw.storage import Json

State = Dict[Any, Any]


def write(file: BinaryIO, state: Mapping[Any, Any], metadata: Optional[Mapping[str, str]] = None) -> None:
    found: tensors.Tensors = {}
    structure = _described(state, (), found)
    tensors.write_flat(file, found, {**(metadata or {}), tensors.STRUCTURE: json.dumps(structure)})


def read(path: Path) -> State:
    """As it was saved; distributed tensors as this rank's part. The file is mapped, as by `tensors.read`."""
    structure, found = _opened(path)
    state: State = _rebuilt(structure, found)
    return state


def restore(path: Path, into: Mapping[Any, Any]) -> State:
    """Copies saved tensors into those of `into`, distributed ones into this rank's part, and returns `into` with all else as it was
    saved: what `set_state_dict` takes."""
    structure, found = _opened(path)
    state: State = _restored(structure, found, into, ())
    return state


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")  # who has a tensor has imported it
    return torch is not None and isinstance(value, torch.Tensor)


def _local(tensor: Any) -> Any:
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def _place(keys: Sequence[Any]) -> str:
    return "/".join(str(key) for key in keys)


def _described(value: Any, keys: Tuple[Any, ...], found: tensors.Tensors) -> Json:
    if _is_tensor(value):
        name = _place(keys) if _place(keys) not in found else f"{_place(keys)}#{len(found)}"
        found[name] = _local(value)
        return {"tensor": name, **({"of": list(value.shape)} if hasattr(value, "to_local") else {})}
    if isinstance(value, Mapping):
        wrong = next((key for key in value if not isinstance(key, (str, int)) or isinstance(key, bool)), None)
        if wrong is not None:
            raise TypeError(f"a key of {_place(keys) or 'the state'} is a {type(wrong).__name__}; keys are text or whole numbers")
        return {"dict": [[key, _described(each, (*keys, key), found)] for key, each in value.items()]}
    if isinstance(value, (list, tuple)):
        # A subclass, such as a size or a named tuple, comes back as what it is made of.
        return {"tuple" if isinstance(value, tuple) else "list": [_described(each, (*keys, index), found) for index, each in enumerate(value)]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    raise TypeError(
        f"{_place(keys)} is a {type(value).__name__}; a state holds dicts, lists, tensors, numbers and text. "
        "Pass a function that writes the file yourself for anything else"
    )


def _opened(path: Path) -> Tuple[Json, tensors.Tensors]:
    text = tensors.metadata(path).get(tensors.STRUCTURE)
    if text is None:
        raise ValueError(f"{path} was not saved as a state dict: read it with ironlaw.tensors.read")
    structure: Json = json.loads(text)
    return structure, tensors.read_flat(path)


def _rebuilt(node: Json, found: tensors.Tensors) -> Any:
    if "tensor" in node:
        return found[node["tensor"]]
    if "dict" in node:
        return {key: _rebuilt(each, found) for key, each in node["dict"]}
    if "list" in node or "tuple" in node:
        parts: List[Any] = [_rebuilt(each, found) for each in node.get("list", node.get("tuple"))]
        return parts if "list" in node else tuple(parts)
    return node["value"]


def _restored(node: Json, found: tensors.Tensors, into: Any, keys: Tuple[Any, ...]) -> Any:
    if "tensor" in node:
        return _copied(found[node["tensor"]], into, keys)
    if "dict" in node:
        if not isinstance(into, Mapping) or {key for key, _ in node["dict"]} != set(into):
            raise ValueError(f"{_place(keys) or 'the state'} has other keys than when it was saved")
        return {key: _restored(each, found, into[key], (*keys, key)) for key, each in node["dict"]}
    if "list" in node or "tuple" in node:
        saved = node.get("list", node.get("tuple"))
        if not isinstance(into, (list, tuple)) or len(into) != len(saved):
            raise ValueError(f"{_place(keys)} has another length than when it was saved")
        parts = [_restored(each, found, into[index], (*keys, index)) for index, each in enumerate(saved)]
        return parts if "list" in node else tuple(parts)
    return node["value"]


def _copied(saved: Any, into: Any, keys: Tuple[Any, ...]) -> Any:
    if not _is_tensor(into):
        return saved.clone()
    own = _local(into)
    if tuple(own.shape) != tuple(saved.shape):
        raise ValueError(
            f"{_place(keys)}: this rank holds {list(own.shape)} of it and saved {list(saved.shape)}; "
            "a state dict is restored by as many ranks as saved it"
        )
    torch = sys.modules["torch"]
    with torch.no_grad():
        own.copy_(saved)
    return into
