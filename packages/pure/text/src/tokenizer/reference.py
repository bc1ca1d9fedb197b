"""Token ids of Hugging Face's library (PyPI tokenizers): reads {"files": {name: path}, "texts": [..]}, prints one JSON line a tokenizer."""

import json
import sys

from tokenizers import Tokenizer

request = json.load(sys.stdin)
for name, path in request["files"].items():
    tokenizer = Tokenizer.from_file(path)
    encoded = [tokenizer.encode(text, add_special_tokens=False).ids for text in request["texts"]]
    decoded = [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded]
    print(json.dumps({"name": name, "ids": encoded, "decoded": decoded}), flush=True)
