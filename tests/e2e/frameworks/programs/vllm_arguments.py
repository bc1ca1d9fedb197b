"""Whether vLLM's own parser of engine arguments takes exported flags. It lies beside the environment: its dependencies are its own."""

from __future__ import annotations

import json
import sys

sys.path.insert(0, sys.argv[1])
sys.path.append(sys.path.pop(0))

from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.utils.argparse_utils import FlexibleArgumentParser

options = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser()).parse_args(sys.argv[2:])
print(json.dumps({"tensor": options.tensor_parallel_size, "longest": options.max_model_len}))
