// What a gigabyte costs must not depend on how many there are.

import { linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { runBuild, writeSpec } from './builds.ts'
import { type Corpus, fileName, filesOf, isFeedFile } from './documents.ts'
import { figure, type Goal } from './goals.ts'

const SHARES = [1, 2, 4, 8, 16] as const
const TOLERANCE = 0.15

type Part = { readonly directory: string; readonly corpus: Corpus; readonly files: number }

/** The first files of the corpus once more, without copying them. */
function linkPart({ directory, files }: Part): { readonly part: string; readonly bytes: number } {
  const part = join(directory, `part-${files}`)
  mkdirSync(part)
  let bytes = 0
  for (let file = 0; file < files; file += 1) {
    const path = join(directory, 'corpus', fileName(file))
    linkSync(path, join(part, fileName(file)))
    bytes += statSync(path).size
  }
  return { part, bytes }
}

/**
 * Small parts several times, between the large ones: what a second of a processor is worth changes within the half hour that all of it takes, and
 * a size measured once would be compared with another moment of the machine.
 */
const ORDER: readonly (typeof SHARES)[number][] = [1, 2, 4, 8, 1, 2, 4, 16, 4, 2, 1, 8, 4, 2, 1]

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Processor seconds a gigabyte for 1, 2, 4, 8 and 16 shares of the corpus; the least of it that divides evenly. */
export async function linearGoals({ directory, corpus }: Omit<Part, 'files'>, steps: readonly object[]): Promise<Goal[]> {
  const unit = Math.max(1, Math.floor((filesOf(corpus) * 0.8) / 16))
  const runs: Run[] = []
  for (const share of ORDER.filter((each) => each * unit <= filesOf(corpus)))
    runs.push(await measurePart({ directory, corpus, files: share * unit }, steps))
  const sizes = [...Map.groupBy(runs, ({ files }) => files)].toSorted(([one], [other]) => one - other)
  const costs = sizes.map(([, own]) => mean(own.map(({ cost }) => cost)))
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  return [
    {
      what: 'cost of a gigabyte, from the least to the most',
      measured: `${least.toFixed(1)} to ${most.toFixed(1)} s of a core, ${((100 * (most - least)) / most).toFixed(1)} % apart`,
      goal: `within ${100 * TOLERANCE} %`,
      isMet: (most - least) / most <= TOLERANCE,
    },
    ...sizes.map(([, own], index) => sizeFigure(own, costs[index] ?? 0)),
  ]
}

function sizeFigure(runs: readonly Run[], cost: number): Goal {
  const all = runs.map((run) => run.cost)
  const range =
    runs.length === 1 ? 'measured once' : `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}, ${runs.length} times`
  return figure(
    `  ${((runs[0]?.bytes ?? 0) / 1e9).toPrecision(3)} GB`,
    `${cost.toFixed(1)} s of a core a GB (${range}), ${mean(runs.map(({ seconds }) => seconds)).toFixed(0)} s in all`,
  )
}

type Run = { readonly files: number; readonly bytes: number; readonly cost: number; readonly seconds: number }

async function measurePart({ directory, corpus, files }: Part, steps: readonly object[]): Promise<Run> {
  const { part, bytes } = linkPart({ directory, corpus, files })
  const hasFeed = Array.from({ length: files }, (_, file) => file).some(isFeedFile)
  const from = ['web', ...(hasFeed ? ['feed'] : [])].map((name) => ({ name, files: `${name}-*.jsonl` }))
  const to = join(directory, 'part-out')
  const build = { spec: writeSpec(part, { name: `part-${files}`, from, steps }), work: join(directory, 'work'), to, workers: 2 }
  const { processorSeconds, seconds } = await runBuild(build)
  for (const path of [part, to, `${to}.set-aside.jsonl`]) rmSync(path, { recursive: true, force: true })
  return { files, bytes, cost: processorSeconds / (bytes / 1e9), seconds }
}
