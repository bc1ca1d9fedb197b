"""Tokens as text, by the tokenizer.json that a dataset holds: BPE models, as packages/pure/text decodes them. Encoding is not done here."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

Decode = Callable[[Iterable[int]], bytes]

PARTS = {"pre_tokenizer": "pretokenizers", "decoder": "decoders"}
PRINTABLE = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
# The alphabet of byte-level tokenizers: bytes that do not print are written from U+0100 on, in order.
BYTE_OF = {**{chr(byte): byte for byte in PRINTABLE}, **{chr(0x100 + place): byte for place, byte in enumerate(OTHERS)}}


def decoder(file: Mapping[str, Any]) -> Decode:
    """From tokens to the bytes of UTF-8 that they stand for: a token may end in the middle of a character."""
    model = file.get("model") or {}
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"tokenizer.json: the model is {model.get('type')!r}, not BPE")
    is_byte_level, replaced, strips_space = _rules(_steps(file, "decoder"), _steps(file, "pre_tokenizer"))

    def shown(token: str) -> bytes:
        for pattern, content in replaced:
            token = token.replace(pattern, content)
        return token.encode("utf-8", "replace")

    bytes_of: Dict[int, bytes] = {}
    for token, number in model["vocab"].items():
        in_alphabet = is_byte_level and all(character in BYTE_OF for character in token)
        bytes_of[number] = bytes(BYTE_OF[character] for character in token) if in_alphabet else shown(token)
    if model.get("byte_fallback"):
        for byte in range(256):
            if f"<0x{byte:02X}>" in model["vocab"]:
                bytes_of[model["vocab"][f"<0x{byte:02X}>"]] = bytes([byte])
    for added in file.get("added_tokens") or ():
        bytes_of[added["id"]] = shown(added["content"])

    def decode(tokens: Iterable[int]) -> bytes:
        try:
            text = b"".join([bytes_of[int(token)] for token in tokens])
        except KeyError as error:
            raise ValueError(f"tokenizer.json: there is no token {error.args[0]}") from None
        return text[1:] if strips_space and text[:1] == b" " else text

    return decode


def _steps(file: Mapping[str, Any], field: str) -> List[Mapping[str, Any]]:
    """Steps in order; a sequence within a sequence is flattened."""

    def flat(step: Mapping[str, Any]) -> List[Mapping[str, Any]]:
        return [each for part in step[PARTS[field]] for each in flat(part)] if step["type"] == "Sequence" else [step]

    return flat(file[field]) if file.get(field) else []


def _rules(decoders: List[Mapping[str, Any]], pre_tokenizers: List[Mapping[str, Any]]) -> Tuple[bool, List[Tuple[str, str]], bool]:
    # A file that names no decoder still says by its pre-tokenizer what the characters of its tokens stand for.
    is_byte_level = not decoders and any(step["type"] == "ByteLevel" for step in pre_tokenizers)
    strips_space = False
    replaced: List[Tuple[str, str]] = []
    for step in decoders:
        kind = step["type"]
        if kind == "ByteLevel":
            is_byte_level = True
        elif kind == "Replace" and "String" in step["pattern"]:
            replaced.append((step["pattern"]["String"], step["content"]))
        elif kind == "Metaspace":
            replaced.append((step.get("replacement", "\u2581"), " "))
            strips_space = step.get("prepend_scheme") != "never" and step.get("add_prefix_space") is not False
        elif kind == "Strip" and (step.get("content"), step.get("start"), step.get("stop")) == (" ", 1, 0):
            strips_space = True
        elif kind not in ("ByteFallback", "Fuse"):
            raise ValueError(f"tokenizer.json: the decoder {kind} is not supported as it is set here")
    return is_byte_level, replaced, strips_space
