// One tenant at fifty times its quota beside another one that behaves: what the second notices. Quiet and noisy spells take turns, so that
// what else runs on the machine meets both; the noise is a process of its own. Asserted is only what holds on any machine.

import { quantile } from '@ironlaw/laws/quantile'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { requestText, SHORT } from './load.ts'
import { seeded } from '../../../packages/effects/gateway/test/malformed.ts'
import { PacedClient } from './paced-client.ts'
import { type Pair, pooledRatio, type RatioInterval, typicalRatio } from './ratio-interval.ts'

export type NoisyOptions = {
  readonly port: number
  readonly model: string
  readonly quiet: { readonly key: string; readonly perSecond: number }
  /** `quota` in requests a minute. */
  readonly noisy: { readonly key: string; readonly quota: number }
  readonly spell_s: number
  readonly spells: number
}

const TIMES_ITS_QUOTA = 50

export async function measureNoisyTenant({ port, model, quiet, noisy, spell_s, spells }: NoisyOptions): Promise<readonly string[]> {
  const noise = noiseProcess([port, noisy.key, model, (TIMES_ITS_QUOTA * noisy.quota) / 60].map(String))
  const client = new PacedClient(
    port,
    requestText({ headers: { authorization: `Bearer ${quiet.key}` } }, false, { model, max_tokens: SHORT }),
  )
  const { perSecond } = quiet
  const began = performance.now()
  const pairs: Pair[] = []
  const refusedQuiet: number[] = []
  let [admitted, refused] = [0, 0]
  // Both warm up; a minute's worth of the quota may come at once.
  await Promise.all([client.runPaced({ perSecond, for_s: 2 }), noise.spell(2).then((seen) => (admitted += seen.get(200) ?? 0))])
  for (let spell = 0; spell < spells; spell += 1) {
    const alone = await client.runPaced({ perSecond, for_s: spell_s })
    const [beside, seen] = await Promise.all([client.runPaced({ perSecond, for_s: spell_s }), noise.spell(spell_s)])
    pairs.push({ without: alone.latencies_ms, with: beside.latencies_ms })
    refusedQuiet.push(...[alone, beside].flatMap(({ statuses }) => [...statuses.keys()].filter((status) => status !== 200)))
    admitted += seen.get(200) ?? 0
    refused += seen.get(429) ?? 0
  }
  const allowed = noisy.quota * (1 + (performance.now() - began) / 60_000)
  noise.end()
  client.close()
  assert.deepEqual(refusedQuiet, [], 'the quiet tenant was refused')
  assert.ok(admitted <= allowed + 1, `the quota did not hold: ${admitted} admitted of ${allowed}`)
  const [alone, beside] = [pairs.flatMap((pair) => pair.without), pairs.flatMap((pair) => pair.with)]
  const drawing = { share: 0.99, draw: seeded(1) }
  const factor = ({ ratio, low, high }: RatioInterval): string => `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
  const latencyText = (latencies: readonly number[]): string =>
    `p50 ${quantile(latencies, 0.5).toFixed(2)} ms, p99 ${quantile(latencies, 0.99).toFixed(2)} ms of ${latencies.length}`
  return [
    `noisy tenant at ${TIMES_ITS_QUOTA} times its quota: ${admitted} admitted, ${refused} refused; none of the other's was refused`,
    `the other tenant alone: ${latencyText(alone)}; beside it: ${latencyText(beside)}`,
    `p99 by a factor of ${factor(typicalRatio(pairs, drawing))} in the median pair of spells, ${factor(pooledRatio(pairs, drawing))} of all pooled; 95 % intervals over ${spells} pairs (goal 1.10)`,
  ]
}

function noiseProcess(argv: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'noise.ts'), ...argv], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    spell: async (for_s: number): Promise<ReadonlyMap<number, number>> => {
      child.stdin.write(`${for_s}\n`)
      const { value = '{}' } = await lines.next()
      const statuses: Readonly<Record<string, number>> = JSON.parse(value)
      return new Map(Object.entries(statuses).map(([status, count]) => [Number(status), count]))
    },
    end: (): void => void child.stdin.end(),
  }
}
