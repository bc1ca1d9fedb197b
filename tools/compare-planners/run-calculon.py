"""Step times of Calculon for runs on standard input, a JSON list of {model, execution, system}; one number or null a run on standard output.

Run from a checkout of calculon-ai/calculon. Its search imports pandas, a single run does not need it.
"""

import json
import logging
import sys
import types

for name in ("pandas", "psutil"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        sys.modules[name] = types.ModuleType(name)

sys.path.insert(0, ".")

from calculon.llm import Llm  # noqa: E402
from calculon.system import System  # noqa: E402


def step_time(run):
    try:
        model = Llm(Llm.Application(run["model"]), logging.getLogger("calculon"))
        with open(run["system"], encoding="utf-8") as file:
            system = System(json.load(file))
        model.compile(system, Llm.Execution.from_json(run["execution"]))
        model.run(system)
        return model.get_total_time()
    except (Llm.Error, AssertionError):
        return None


json.dump([step_time(run) for run in json.load(sys.stdin)], sys.stdout)
