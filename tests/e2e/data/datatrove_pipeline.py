"""datatrove on one core: read JSON lines, quality filters, MinHash deduplication, write; and tokenising on its own.

usage: datatrove_pipeline.py INPUT WORK [TOKENIZER]

The caller pins it to a core and drops the log on standard error. Prints one JSON object: bytes of text read and written, and the processor seconds of each stage. Loading the libraries is not counted.
"""

import json
import os
import shutil
import sys
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("RAYON_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.dedup import MinhashDedupSignature  # noqa: E402
from datatrove.pipeline.dedup.minhash import (  # noqa: E402
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
)
from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter  # noqa: E402
from datatrove.pipeline.readers import JsonlReader  # noqa: E402
from datatrove.pipeline.tokens import DocumentTokenizer  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter  # noqa: E402
from datatrove.utils.hashing import HashConfig  # noqa: E402
from datatrove.utils.word_tokenizers import load_word_tokenizer  # noqa: E402

SHAPE = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8, hash_config=HashConfig(precision=64))


def stages(source, work, tokenizer):
    """Steps of each stage, and how many tasks it has. The writers do not compress: that would be time that has no counterpart."""
    filtered, kept = f"{work}/filtered", f"{work}/kept"
    signatures, buckets, removed = f"{work}/signatures", f"{work}/buckets", f"{work}/removed"
    filters = [GopherRepetitionFilter(), GopherQualityFilter(), FineWebQualityFilter()]
    yield "filter", 1, [JsonlReader(source, glob_pattern="*.jsonl"), *filters, JsonlWriter(filtered, compression=None)]
    yield "signatures", 1, [JsonlReader(filtered), MinhashDedupSignature(signatures, config=SHAPE)]
    yield "buckets", SHAPE.num_buckets, [MinhashDedupBuckets(signatures, buckets, config=SHAPE)]
    yield "cluster", 1, [MinhashDedupCluster(buckets, removed, config=SHAPE)]
    yield "write", 1, [JsonlReader(filtered), MinhashDedupFilter(removed), JsonlWriter(kept, compression=None)]
    if tokenizer:
        yield "tokenise", 1, [JsonlReader(kept), DocumentTokenizer(f"{work}/tokens", tokenizer, shuffle_documents=False)]


def text_bytes(folder):
    documents = total = 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl"):
            continue
        with open(os.path.join(folder, name), "rb") as lines:
            for line in lines:
                documents += 1
                total += len(json.loads(line)["text"].encode())
    return {"documents": documents, "bytes": total}


def main(source, work, tokenizer=None):
    shutil.rmtree(work, ignore_errors=True)
    load_word_tokenizer("eng").word_tokenize("Loads what is loaded at the first use.")
    seconds = {}
    for name, tasks, pipeline in stages(source, work, tokenizer):
        started = time.process_time()
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, logging_dir=f"{work}/logs/{name}").run()
        seconds[name] = round(time.process_time() - started, 3)
    answer = {name: text_bytes(folder) for name, folder in (("read", source), ("filtered", f"{work}/filtered"), ("kept", f"{work}/kept"))}
    print(json.dumps({**answer, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
