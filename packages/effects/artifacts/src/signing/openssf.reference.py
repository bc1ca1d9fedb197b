"""Signs and verifies with OpenSSF's own library: one JSON list of requests on standard input, one list of problems on standard output."""

import json
import pathlib
import sys

from model_signing import hashing, signing, verifying


def hashed(signature: pathlib.Path) -> hashing.Config:
    return hashing.Config().set_ignored_paths(paths=[signature.name])


def answer(request: dict[str, str]) -> str | None:
    model = pathlib.Path(request["model"])
    signature = model / "model.sig"
    try:
        if request["do"] == "sign":
            config = signing.Config().use_elliptic_key_signer(private_key=request["key"])
            config.set_hashing_config(hashed(signature)).sign(model, signature)
        else:
            verifier = verifying.Config().use_elliptic_key_verifier(public_key=request["key"])
            verifier.set_hashing_config(hashed(signature)).verify(model, signature)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return None


json.dump([answer(request) for request in json.load(sys.stdin)], sys.stdout)
