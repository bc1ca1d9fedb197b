// Metrics of predictions beside those of scikit-learn, on sets that are drawn: a difference is a fault of one of the two.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EvaluationItem, parseItem } from '@ironlaw/contracts/evaluation-items'
import { predictionMetrics } from '@ironlaw/policies/evaluation'
import { RandomStream } from '../../../packages/pure/simulator/src/kernel/random-stream.ts'

const VENV = process.env['SKLEARN_VENV'] ?? join(homedir(), '.cache/ironlaw/sklearn-venv')
/** Sums of the same numbers in another order. */
const ROUNDING = 1e-9
const SETS = 60
const MOST_ITEMS = 400

/** Reads sets of items, answers with their metrics by our names. */
const SCRIPT = `
import json, sys, numpy as np
from sklearn import metrics as m

def classes(items):
    names = sorted({name for item in items for name in item["probabilities"]})
    truth = [item["label"] for item in items]
    chances = np.array([[item["probabilities"][name] for name in names] for item in items])
    said = [names[place] for place in chances.argmax(axis=1)]
    each = lambda score: float(np.mean([score([label == name for label in truth], chances[:, place]) for place, name in enumerate(names)]))
    # Over classes that are there or were said, as scikit-learn does by itself.
    macro = dict(average="macro", zero_division=0)
    confidence, right = chances.max(axis=1), np.array(truth) == np.array(said)
    bins = np.clip(np.ceil(confidence * 15).astype(int) - 1, 0, 14)
    return {
        "accuracy": m.accuracy_score(truth, said), "balanced_accuracy": m.balanced_accuracy_score(truth, said),
        "precision": m.precision_score(truth, said, **macro), "recall": m.recall_score(truth, said, **macro),
        "f1": m.f1_score(truth, said, **macro), "f1_micro": m.f1_score(truth, said, average="micro"),
        "brier": m.brier_score_loss(truth, chances, labels=names, scale_by_half=len(names) == 2),
        "log_loss": m.log_loss(truth, chances, labels=names),
        "auroc": each(m.roc_auc_score), "auprc": each(m.average_precision_score),
        "ece": float(sum(abs((confidence[bins == b] - right[bins == b]).sum()) for b in range(15)) / len(items)),
    }

def quantities(items):
    truth = [item["label"] for item in items]
    said = [item["prediction"] for item in items]
    found = {"mae": m.mean_absolute_error(truth, said), "rmse": m.root_mean_squared_error(truth, said), "r2": m.r2_score(truth, said)}
    for share in items[0]["quantiles"]:
        found["pinball@" + share] = m.mean_pinball_loss(truth, [item["quantiles"][share] for item in items], alpha=float(share))
    return found

sets = json.load(sys.stdin)
print(json.dumps([classes(items) if "probabilities" in items[0] else quantities(items) for items in sets]))
`

type Item = EvaluationItem<'prediction'>

/** Whether all metrics are equal; also where scikit-learn is not installed, which is said. */
export async function scikitLearnMetrics(): Promise<boolean> {
  const python = join(VENV, 'bin/python')
  if (!existsSync(python)) {
    console.log(`scikit-learn is skipped: ${python} is missing; python3 -m venv ${VENV} && ${VENV}/bin/pip install scikit-learn`)
    return true
  }
  const random = new RandomStream([20_261_119])
  const sets = Array.from({ length: SETS }, (_, index) => (index % 3 === 2 ? drawQuantities(random) : drawClasses(random)))
  const theirs = await theirMetrics(python, sets)
  const largest = new Map<string, number>()
  for (const [index, items] of sets.entries()) {
    const ours = predictionMetrics(items)
    for (const [metric, value] of Object.entries(theirs[index] ?? {})) {
      const apart = Math.abs((ours[metric] ?? Number.NaN) - value) / Math.max(1, Math.abs(value))
      largest.set(metric, Math.max(largest.get(metric) ?? 0, Number.isNaN(apart) ? Infinity : apart))
    }
  }
  for (const [metric, apart] of largest) console.log(`${metric.padEnd(20)} differs by at most ${apart.toExponential(1)}`)
  const isEqual = largest.size >= 16 && [...largest.values()].every((apart) => apart <= ROUNDING)
  console.log(`${largest.size} metrics over ${SETS} sets: ${isEqual ? 'equal' : 'different'}`)
  return isEqual
}

async function theirMetrics(python: string, sets: readonly (readonly Item[])[]): Promise<readonly Readonly<Record<string, number>>[]> {
  const asked = promisify(execFile)(python, ['-W', 'ignore', '-c', SCRIPT], { maxBuffer: 2 ** 26 })
  asked.child.stdin?.end(JSON.stringify(sets))
  return JSON.parse((await asked).stdout)
}

type Random = Pick<RandomStream, 'uniform'>

const below = (random: Random, most: number): number => Math.floor(random.uniform() * most)

/** Two to five classes, each of them there; chances on a coarse grid, so that some are equal, as far as they decide no class. */
function drawClasses(random: Random): readonly Item[] {
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, 2 + below(random, 4))
  return Array.from({ length: 20 + below(random, MOST_ITEMS) }, (_, index) => {
    const label = names[index < names.length ? index : below(random, names.length)] ?? 'a'
    const weights = names.map((name) => 1 + below(random, 8) + (name === label ? below(random, 9) : 0))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const probabilities = Object.fromEntries(names.map((name, place) => [name, (weights[place] ?? 0) / total]))
    return parseItem('prediction', { id: String(index), label, probabilities }, 'drawn')
  })
}

function drawQuantities(random: Random): readonly Item[] {
  return Array.from({ length: 20 + below(random, MOST_ITEMS) }, (_, index) => {
    const label = 100 * (random.uniform() - 0.3)
    const prediction = label + 10 * (random.uniform() - 0.4)
    const quantiles = { '0.1': prediction - 6, '0.5': prediction, '0.9': prediction + 7 * random.uniform() }
    return parseItem('prediction', { id: String(index), label, prediction, quantiles }, 'drawn')
  })
}
