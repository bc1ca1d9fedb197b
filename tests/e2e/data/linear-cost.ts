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

/** Processor seconds a gigabyte for 1, 2, 4, 8 and 16 shares of the corpus; the least of it that divides evenly. */
export async function linearGoals({ directory, corpus }: Omit<Part, 'files'>, steps: readonly object[]): Promise<Goal[]> {
  const unit = Math.max(1, Math.floor((filesOf(corpus) * 0.8) / 16))
  const costs: number[] = []
  const goals: Goal[] = []
  for (const share of SHARES.filter((each) => each * unit <= filesOf(corpus))) {
    const files = share * unit
    const { part, bytes } = linkPart({ directory, corpus, files })
    const hasFeed = Array.from({ length: files }, (_, file) => file).some(isFeedFile)
    const from = ['web', ...(hasFeed ? ['feed'] : [])].map((name) => ({ name, files: `${name}-*.jsonl` }))
    const to = join(directory, 'part-out')
    const build = { spec: writeSpec(part, { name: `part-${share}`, from, steps }), work: join(directory, 'work'), to, workers: 2 }
    const { processorSeconds, seconds } = await runBuild(build)
    for (const path of [part, to, `${to}.set-aside.jsonl`]) rmSync(path, { recursive: true, force: true })
    costs.push(processorSeconds / (bytes / 1e9))
    goals.push(
      figure(
        `  ${(bytes / 1e9).toPrecision(3)} GB`,
        `${(costs.at(-1) as number).toFixed(1)} s of a core a GB, ${seconds.toFixed(0)} s in all`,
      ),
    )
  }
  const [least, most] = [Math.min(...costs), Math.max(...costs)]
  return [
    {
      what: 'cost of a gigabyte, from the least to the most',
      measured: `${least.toFixed(1)} to ${most.toFixed(1)} s of a core, ${((100 * (most - least)) / most).toFixed(1)} % apart`,
      goal: `within ${100 * TOLERANCE} %`,
      isMet: (most - least) / most <= TOLERANCE,
    },
    ...goals,
  ]
}
