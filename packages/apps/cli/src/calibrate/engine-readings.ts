// Readings of real engines: a fixed number of concurrent clients, each sending one request after another, with prompts and answers of all
// lengths, as in traffic; and the same for several engines on the same cores. Answers that all start together do not represent traffic:
// costs fitted to those gave half of the decode time of a replay. The slots that they occupy may be the cause; that was not tested.

import { type EngineReadings, engineSteps, type TimedAnswer } from '@ironlaw/policies/serving'
import { type EngineProcess, type EngineSetting, type EngineStart, startEngine } from './engine-process.ts'
import { timeStream } from './engine-stream.ts'

export type Effort = { readonly copies: number; readonly round_s: number }
export type MeasuredEngines = { readonly readings: readonly EngineReadings[]; readonly starts: readonly EngineStart[] }

/** Concurrent answers, for one engine alone and for each engine when several are busy. */
export const BATCHES: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 16]
const SHARED_BATCHES = [1, 2, 4, 8]
const PASSES = 4
const [PROMPT, PROMPTS] = [8, 256]
const [ANSWER, ANSWERS] = [8, 56]
/** Token ids that every vocabulary has, past those that are often special. */
const [FIRST_ID, IDS] = [5, 80]

export async function readEngines(setting: EngineSetting, effort: Effort, say: (text: string) => void): Promise<MeasuredEngines> {
  const { copies, round_s } = effort
  const engines: EngineProcess[] = []
  const readings: EngineReadings[] = []
  const read = async (count: number, batch: number, keep: boolean): Promise<void> => {
    const until_s = performance.now() / 1000 + round_s / PASSES
    const busy = await Promise.all(engines.slice(0, count).map(({ url }) => runClients(url, { id: setting.id, batch, until_s })))
    // Exclude what ran before the others began or after they ended: it had more of the cores.
    const from_s = Math.max(...busy.map((answers) => answers[0]?.tokens_s[0] ?? Infinity))
    const inside = busy.map((answers) => engineSteps(answers).filter((step) => step.from_s >= from_s && step.until_s <= until_s))
    if (keep) readings.push(...inside.map((steps) => ({ copies: count, steps })))
  }
  try {
    engines.push(await startEngine(setting))
    await read(1, Math.min(setting.slots, 4), false)
    for (const batch of inPasses(BATCHES, setting)) await read(1, batch, true)
    say('one engine')
    while (engines.length < copies) {
      engines.push(await startEngine(setting))
      await read(engines.length, Math.min(setting.slots, 4), false)
      for (const batch of inPasses(SHARED_BATCHES, setting)) await read(engines.length, batch, true)
      say(`${engines.length} engines on the same cores`)
    }
  } finally {
    await Promise.all(engines.map((engine) => engine.stop()))
  }
  return { readings, starts: engines.map(({ start }) => start) }
}

/**
 * Measures every batch size several times, in rising and falling order: the speed of a shared machine varies, which would bend the curve.
 * Measured: 3.0 ms for a batch of one that took 2.1 before and after.
 */
const inPasses = (batches: readonly number[], { slots }: EngineSetting): readonly number[] => {
  const fitting = batches.filter((batch) => batch <= slots)
  return Array.from({ length: PASSES }, (_, pass) => (pass % 2 === 0 ? fitting : fitting.toReversed())).flat()
}

type ClientLoad = { readonly id: string; readonly batch: number; readonly until_s: number }

async function runClients(url: string, { id, batch, until_s }: ClientLoad): Promise<readonly TimedAnswer[]> {
  const answers: TimedAnswer[] = []
  const client = async (): Promise<void> => {
    while (performance.now() / 1000 < until_s) {
      const prompt = Array.from({ length: PROMPT + nextRandom(PROMPTS) }, () => FIRST_ID + nextRandom(IDS))
      const { at_s, pieces_s } = await timeStream(url, { model: id, prompt, max_tokens: ANSWER + nextRandom(ANSWERS) })
      answers.push({ prompt: prompt.length, at_s, tokens_s: pieces_s })
    }
  }
  await Promise.all(Array.from({ length: batch }, client))
  return answers.toSorted((one, other) => one.at_s - other.at_s)
}

let randomState = 1

/** A linear congruential generator (Numerical Recipes), whose low bits repeat soon: no two prompts begin alike. */
function nextRandom(count: number): number {
  randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0
  return (randomState >>> 8) % count
}
