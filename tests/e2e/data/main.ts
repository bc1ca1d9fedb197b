// `npm run e2e:data`: datasets from a corpus with known truth. E2E_DATA_GB says how much text (20 when left out), E2E_DATA_DIRECTORY where it lies.
// Words after the command choose parts: `npm run e2e:data -- truth kills`.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Build, digestOf, runBuild, writeSpec } from './builds.ts'
import { contract, contractGoals } from './contracts.ts'
import { corpusOf, writeCorpus } from './corpus.ts'
import { type Corpus, filesOf, isFeedFile } from './documents.ts'
import { atLeast, figure, type Goal, goalsTable } from './goals.ts'
import { killRepeatedly } from './killed-builds.ts'
import { linearGoals } from './linear-cost.ts'
import { realRecallGoals } from './real-recall.ts'
import { writeRealText } from './real-text.ts'
import { slurmGoals } from './slurm-runs.ts'
import { throughputGoals } from './throughput.ts'
import { outcomeOf, QUALITY, truthGoals } from './truth.ts'

const GIGABYTES = Number(process.env['E2E_DATA_GB'] ?? 20)
const ROOT = process.env['E2E_DATA_DIRECTORY'] ?? '/var/tmp/ironlaw-e2e-data'
const SEEDS = [1, 2, 3]
const KILLS = 5
/** Of the corpora that are built several times. */
const REBUILT_GIGABYTES = Math.min(GIGABYTES, 1)
/** datatrove takes minutes for it. */
const BESIDE_GIGABYTES = Math.min(GIGABYTES, 0.06)
/** So many that shares are known within 0.01. */
const REAL_PAIRS = 8_000
/** Processes and Slurm take most of the time anyway. */
const SLURM_GIGABYTES = Math.min(GIGABYTES, 0.02)

const VIOLATIONS = 0.05
const STEPS = [
  contract(VIOLATIONS),
  { keep: { quality: QUALITY } },
  { without: { items: 'evaluation.items', fields: ['question'] } },
  { redact: {} },
  { deduplicate: {} },
]

mkdirSync(ROOT, { recursive: true })
const directory = mkdtempSync(join(ROOT, 'run-'))
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

function buildOf(from: string, of: Corpus, extra: Partial<Build> & { readonly real?: boolean } = {}): Build {
  const hasFeed = Array.from({ length: filesOf(of) }, (_, file) => file).some(isFeedFile)
  const names = ['web', ...(hasFeed ? ['feed'] : []), ...(extra.real === true ? ['debian'] : [])]
  const spec = writeSpec(from, { name: 'e2e', from: names.map((name) => ({ name, files: `${name}-*.jsonl` })), steps: STEPS })
  const { real: _, ...rest } = extra
  return { spec, work: join(directory, 'work'), to: join(directory, 'out'), workers: availableParallelism(), ...rest }
}

const remove = (to: string): void => {
  for (const path of [to, `${to}.set-aside.jsonl`]) rmSync(path, { recursive: true, force: true })
}

const corpus = corpusOf(GIGABYTES)
const source = join(directory, 'corpus')

async function generate(): Promise<Goal[]> {
  const started = performance.now()
  const bytes = await writeCorpus(source, corpus)
  const rate = bytes / 1e6 / ((performance.now() - started) / 1e3)
  const realBytes = writeRealText(source, (GIGABYTES * 1e9) / 10)
  return [
    atLeast('text', (bytes + realBytes) / 1e9, { least: GIGABYTES, unit: 'GB' }),
    figure(
      '  generated',
      `${corpus.documents} documents at ${rate.toFixed(0)} MB/s, and ${(realBytes / 1e9).toPrecision(2)} GB of Debian's documentation`,
    ),
  ]
}

async function truth(): Promise<Goal[]> {
  const build = buildOf(source, corpus, { real: true })
  const { built, seconds, processorSeconds } = await runBuild(build)
  const outcome = await outcomeOf(corpus, build.to)
  remove(build.to)
  const records = Object.values(built.figures.sources).reduce((sum, { records: own }) => sum + own, 0)
  const bytes = built.figures.steps.find(({ into }) => into.documents > 0)?.into.bytes ?? 0
  return [
    figure(
      'build of all of it',
      `${records} records in ${seconds.toFixed(0)} s, ${(bytes / 1e6 / processorSeconds).toFixed(1)} MB/s a core`,
    ),
    ...truthGoals(corpus, outcome),
    ...(await contractGoals(directory, corpus)),
  ]
}

async function kills(): Promise<Goal[]> {
  const killed = { corpus: corpusOf(REBUILT_GIGABYTES, { seed: 3 }), source: join(directory, 'killed') }
  await writeCorpus(killed.source, killed.corpus)
  const digests = new Map<string, string[]>()
  const goals: Goal[] = []
  const note = async (what: string, to: string): Promise<void> => {
    const digest = await digestOf(to)
    digests.set(digest, [...(digests.get(digest) ?? []), what])
    remove(to)
  }
  let usual = 0
  for (const workers of [1, 2, 3]) {
    const build = buildOf(killed.source, killed.corpus, { workers })
    usual = (await runBuild(build)).seconds
    await note(`${workers} workers`, build.to)
  }
  for (const seed of SEEDS) {
    const build = buildOf(killed.source, killed.corpus, { workers: 2 + (seed % 2), work: join(directory, `work-${seed}`) })
    const { worker, all } = await killRepeatedly(build, { seed, times: KILLS, usual })
    await runBuild(build)
    await note(`seed ${seed}`, build.to)
    const struck = worker + all
    goals.push({
      what: `  kills of seed ${seed}`,
      measured: `${all} of everything, ${worker} of a worker`,
      goal: `${KILLS} in all`,
      isMet: struck >= KILLS,
    })
  }
  rmSync(killed.source, { recursive: true })
  const groups = [...digests.values()].map((who) => who.join(', '))
  return [
    {
      what: `same bits: 1, 2, 3 workers, killed with ${SEEDS.length} seeds`,
      measured: groups.join(' | '),
      goal: 'one digest',
      isMet: groups.length === 1,
    },
    ...goals,
  ]
}

const PARTS: Readonly<Record<string, () => Promise<Goal[]>>> = {
  truth,
  linear: async () =>
    await linearGoals(
      { directory, corpus },
      STEPS.filter((step) => !('without' in step)),
    ),
  kills,
  real: async () => await realRecallGoals(directory, REAL_PAIRS),
  slurm: async () => await slurmGoals({ directory, gigabytes: SLURM_GIGABYTES }),
  throughput: async () => await throughputGoals({ directory, gigabytes: REBUILT_GIGABYTES, beside: BESIDE_GIGABYTES }),
}

/** Below it the cost of a gigabyte is mostly that of starting processes. */
const LEAST_LINEAR_GIGABYTES = 4

const chosen = process.argv.slice(2)
const usual = Object.keys(PARTS).filter((name) => name !== 'linear' || GIGABYTES >= LEAST_LINEAR_GIGABYTES)
const wanted = chosen.length > 0 ? chosen : usual
const goals: Goal[] = wanted.some((name) => name === 'truth' || name === 'linear') ? await generate() : []
for (const [name, part] of Object.entries(PARTS)) {
  if (!wanted.includes(name)) continue
  console.error(`${new Date().toISOString()} ${name}`)
  const found = await part()
  // A long run shows what it has; the whole table is the last word.
  console.error(goalsTable(found))
  goals.push(...found)
}
console.log(goalsTable(goals))
const missed = goals.filter(({ isMet }) => !isMet)
if (missed.length > 0) {
  console.error(`missed: ${missed.map(({ what }) => what.trim()).join('; ')}`)
  process.exitCode = 1
}
