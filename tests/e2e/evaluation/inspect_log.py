"""Two epochs of one task by Inspect against a server of OpenAI's API; writes its log as JSON. Half of the targets are what the model says."""

import os
import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, f1, includes, mean, scorer
from inspect_ai.solver import TaskState, generate

url, model, directory = sys.argv[1:]
os.environ["LOCAL_API_KEY"] = "none"
os.environ["LOCAL_BASE_URL"] = f"{url}/v1"

PROMPTS = [f"{word} {number}" for number in range(6) for word in ("river", "stone", "märz", "東京")]


@scorer(metrics=[mean()])
def share():
    """A third of the points for each of three letters that the answer has."""

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion.lower()
        return Score(value=sum(letter in text for letter in "aeo") / 3)

    return score


def run(targets, scorers, to, epochs):
    samples = [Sample(id=f"p{at}", input=prompt, target=target) for at, (prompt, target) in enumerate(zip(PROMPTS, targets))]
    task = Task(dataset=MemoryDataset(samples, name="words"), solver=generate(), scorer=scorers, name="words")
    (log,) = evaluate(
        task,
        model=f"openai-api/local/{model}",
        temperature=0,
        max_tokens=12,
        seed=1,
        epochs=epochs,
        max_connections=2,
        log_dir=to,
        log_format="json",
        display="none",
    )
    if log.status != "success":
        raise SystemExit(f"inspect ended with status {log.status}: {log.error}")
    return log


said = {sample.id: sample.output.completion for sample in run(["-"] * len(PROMPTS), includes(), f"{directory}/first", 1).samples}
targets = [said[f"p{at}"].strip() or "-" if at % 2 else "nothing of the kind" for at in range(len(PROMPTS))]
run(targets, [includes(), f1(), share()], f"{directory}/log", 2)
