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

/** `gigabytes` shows what a core does once everything runs; `beside` is as much as datatrove gets through in minutes. */
type Sizes = { readonly directory: string; readonly gigabytes: number; readonly beside: number }

type Rate = { readonly rate: number; readonly built: Built }

async function ratesOf(directory: string, gigabytes: number): Promise<{ readonly plain: Rate; readonly tokenised: Rate | undefined }> {
  const source = join(directory, 'clean')
  await writeCorpus(source, corpusOf(gigabytes, { seed: 2, clean: true }))
  const from = [{ name: 'clean', files: '*.jsonl' }]
  const rateOf = async (name: string, steps: readonly object[]): Promise<Rate> => {
    const to = join(directory, name)
    const build = { spec: writeSpec(source, { name, from, steps }), work: join(directory, 'work'), to, workers: 1 }
    const { built, processorSeconds } = await runBuild(build, CORE)
    rmSync(to, { recursive: true })
    return { rate: textMegabytes(built) / processorSeconds, built }
  }
  const plain = await rateOf('same-steps', SAME_STEPS)
  const tokenised = existsSync(TOKENIZER) ? await rateOf('same-steps-tokenised', [...SAME_STEPS, TOKENIZE]) : undefined
  return { plain, tokenised }
}

export async function throughputGoals({ directory, gigabytes, beside }: Sizes): Promise<Goal[]> {
  const large = await ratesOf(directory, gigabytes)
  rmSync(join(directory, 'clean'), { recursive: true })
  const small = await ratesOf(directory, beside)
  const theirs = await runDatatrove(join(directory, 'clean'), join(directory, 'datatrove'), CORE)
  rmSync(join(directory, 'clean'), { recursive: true })
  const [step] = small.plain.built.figures.steps.slice(-1)
  const stages = Object.entries(theirs.seconds).map(([stage, seconds]) => `${stage} ${(theirs.read.bytes / 1e6 / seconds).toPrecision(2)}`)
  return [
    atLeast('read, filter, deduplicate, write', large.plain.rate, { least: WITHOUT_TOKENISING, unit: 'MB/s a core' }),
    figure('  where the time went', causes(large.plain.built)),
    besideFigure({ ours: small.plain, theirs, isTokenised: false }),
    figure('  documents that came out', `${step?.kept.documents}, of datatrove ${theirs.kept.documents}, of ${theirs.read.documents}`),
    ...(large.tokenised === undefined || small.tokenised === undefined
      ? [{ what: 'the same with tokenising', measured: `no ${TOKENIZER}`, goal: 'npm run published-tokenizers', isMet: false }]
      : [
          atLeast('the same with tokenising', large.tokenised.rate, { least: WITH_TOKENISING, unit: 'MB/s a core' }),
          figure('  where the time went', causes(large.tokenised.built)),
          besideFigure({ ours: small.tokenised, theirs, isTokenised: true }),
        ]),
    figure('  datatrove by stage, MB/s a core', stages.join(', ')),
  ]
}

type Beside = { readonly ours: Rate; readonly theirs: DatatroveRun; readonly isTokenised: boolean }

/** On the same files, with what starting costs. */
function besideFigure({ ours, theirs, isTokenised }: Beside): Goal {
  const rate = theirs.read.bytes / 1e6 / secondsOf(theirs, isTokenised)
  return figure(
    `  on ${(theirs.read.bytes / 1e6).toFixed(0)} MB, beside datatrove`,
    `${ours.rate.toPrecision(3)} against ${rate.toPrecision(3)} MB/s a core, so ${(ours.rate / rate).toFixed(0)} times`,
  )
}
