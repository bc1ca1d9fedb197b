// How much text a core gets through, with and without tokenising, beside datatrove on the same files in the same run.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Built, runBuild, writeSpec } from './builds.ts'
import { corpusOf, writeCorpus } from './corpus.ts'
import { type DatatroveRun, runDatatrove, TOKENIZER } from './datatrove.ts'
import { atLeast, figure, type Goal } from './goals.ts'

/** What datatrove's script does: its three filters and MinHash. */
const SAME_STEPS = [{ keep: { quality: ['gopher-repetition', 'gopher-quality', 'fineweb'] } }, { deduplicate: {} }]
const TOKENIZE = { tokenize: { tokenizer: TOKENIZER, sequence: 2048, separator: '<|endoftext|>' } }

/** The last core: interrupts mostly go to the first. */
const CORE = '1'
const WITHOUT_TOKENISING = 15
const WITH_TOKENISING = 3

const secondsOf = ({ seconds }: DatatroveRun, isTokenised: boolean): number =>
  Object.entries(seconds).reduce((sum, [stage, own]) => (stage === 'tokenise' && !isTokenised ? sum : sum + own), 0)

const causes = (built: Built): string => {
  const seconds = Object.entries(built.measured.causes_s).toSorted(([, a], [, b]) => b - a)
  const all = seconds.reduce((sum, [, own]) => sum + own, 0)
  return seconds.map(([cause, own]) => `${cause} ${((100 * own) / all).toFixed(0)} %`).join(', ')
}

/** Text of the documents, read from what the first step got. */
const textMegabytes = (built: Built): number => (built.figures.steps.find(({ into }) => into.documents > 0)?.into.bytes ?? 0) / 1e6

type Beside = { readonly directory: string; readonly gigabytes: number }

export async function throughputGoals({ directory, gigabytes }: Beside): Promise<Goal[]> {
  const source = join(directory, 'clean')
  await writeCorpus(source, corpusOf(gigabytes, { seed: 2, clean: true }))
  const from = [{ name: 'clean', files: '*.jsonl' }]
  const ours = async (name: string, steps: readonly object[]): Promise<{ readonly rate: number; readonly built: Built }> => {
    const build = { spec: writeSpec(source, { name, from, steps }), work: join(directory, 'work'), to: join(directory, name), workers: 1 }
    const { built, processorSeconds } = await runBuild(build, CORE)
    return { rate: textMegabytes(built) / processorSeconds, built }
  }
  const plain = await ours('same-steps', SAME_STEPS)
  const tokenised = existsSync(TOKENIZER) ? await ours('same-steps-tokenised', [...SAME_STEPS, TOKENIZE]) : undefined
  const theirs = await runDatatrove(source, join(directory, 'datatrove'), CORE)
  rmSync(source, { recursive: true })
  const rate = (isTokenised: boolean): number => theirs.read.bytes / 1e6 / secondsOf(theirs, isTokenised)
  const stages = Object.entries(theirs.seconds).map(([stage, seconds]) => `${stage} ${(theirs.read.bytes / 1e6 / seconds).toPrecision(2)}`)
  const [step] = plain.built.figures.steps.slice(-1)
  return [
    atLeast('read, filter, deduplicate, write', plain.rate, { least: WITHOUT_TOKENISING, unit: 'MB/s a core' }),
    figure('  where the time went', causes(plain.built)),
    figure('  datatrove on the same files', `${rate(false).toPrecision(3)} MB/s a core, so ${(plain.rate / rate(false)).toFixed(0)} times`),
    figure('  documents that came out', `${step?.kept.documents}, of datatrove ${theirs.kept.documents}, of ${theirs.read.documents}`),
    ...(tokenised === undefined
      ? [{ what: 'the same with tokenising', measured: `no ${TOKENIZER}`, goal: 'npm run published-tokenizers', isMet: false }]
      : [
          atLeast('the same with tokenising', tokenised.rate, { least: WITH_TOKENISING, unit: 'MB/s a core' }),
          figure('  where the time went', causes(tokenised.built)),
          figure(
            '  datatrove on the same files',
            `${rate(true).toPrecision(3)} MB/s a core, so ${(tokenised.rate / rate(true)).toFixed(0)} times`,
          ),
        ]),
    figure('  datatrove by stage, MB/s a core', stages.join(', ')),
  ]
}
