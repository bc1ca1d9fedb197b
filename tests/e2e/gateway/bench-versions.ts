// This tree's gateway compared with that of another checkout, in alternating rounds of one run, so that other work on the
// machine affects both. The result is a ratio with its interval, not two figures.

import { quantile } from '@ironlaw/laws/quantile'
import { type Sample, streamLoad, unaryLoad } from './load.ts'
import { seeded } from '../../../packages/effects/gateway/test/malformed.ts'
import { cpu_s, type Proxy, startOurs } from './proxies.ts'
import { type Pair, type RatioInterval, typicalRatio } from './ratio-interval.ts'

export type VersionsOptions = {
  /** The root of a checkout with its packages installed. */
  readonly against: string
  readonly rounds: number
  readonly engines: { readonly unary: number; readonly paced: number }
}

/** What a change may cost. */
const WORSE_BY = 0.03
const UNARY = { connections: 32, requests: 8000 }
const PACED = { connections: 32, requests: 600, perSecond: 300 }

type Turn = { readonly each_us: number; readonly each_s: number; readonly latencies_ms: readonly number[] }

/** Whether no ratio is shown to be worse than it may be. */
export async function compareVersions({ against, rounds, engines }: VersionsOptions): Promise<boolean> {
  const startBoth = async (first: number, engine: number): Promise<readonly [Proxy, Proxy]> => [
    await startOurs(first, engine, { root: against, name: 'before' }),
    await startOurs(first + 10, engine, { name: 'after' }),
  ]
  const unary = await startBoth(21_400, engines.unary)
  const streams = await startBoth(21_440, engines.paced)
  const full = await runTurns(unary, rounds, (proxy) => unaryLoad(proxy, UNARY))
  const paced = await runTurns(unary, rounds, (proxy) => unaryLoad(proxy, PACED))
  const streamed = await runTurns(streams, rounds, (proxy) => streamLoad(proxy, { streams: 200, rounds: 1 }))
  const pairsOf = (all: readonly (readonly [Turn, Turn])[], figure: (turn: Turn) => number): readonly Pair[] =>
    all.map(([before, after]) => ({ without: [figure(before)], with: [figure(after)] }))
  const latencies = (all: readonly (readonly [Turn, Turn])[]): readonly Pair[] =>
    all.map(([before, after]) => ({ without: before.latencies_ms, with: after.latencies_ms }))
  return [
    printRatio(
      'unary: time per request at full load',
      pairsOf(full, ({ each_s }) => each_s),
      0.5,
    ),
    printRatio(
      'unary: CPU per request at full load',
      pairsOf(full, ({ each_us }) => each_us),
      0.5,
    ),
    printRatio('unary: p50 at 300 requests/s', latencies(paced), 0.5),
    printRatio('unary: p99 at 300 requests/s', latencies(paced), 0.99),
    printRatio(
      'streams: CPU per chunk',
      pairsOf(streamed, ({ each_us }) => each_us),
      0.5,
    ),
    printRatio('streams: p50 of a chunk', latencies(streamed), 0.5),
    printRatio('streams: p99 of a chunk', latencies(streamed), 0.99),
  ].every((isWithin) => isWithin)
}

/** Pairs of turns, each version first in every other one; the first pair warms the compilers up. */
async function runTurns(
  [before, after]: readonly [Proxy, Proxy],
  rounds: number,
  load: (proxy: Proxy) => Promise<Sample>,
): Promise<readonly (readonly [Turn, Turn])[]> {
  const pairs: (readonly [Turn, Turn])[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const first = await runTurn(round % 2 === 0 ? before : after, load)
    const second = await runTurn(round % 2 === 0 ? after : before, load)
    if (round > 0) pairs.push(round % 2 === 0 ? [first, second] : [second, first])
  }
  return pairs
}

async function runTurn(proxy: Proxy, load: (proxy: Proxy) => Promise<Sample>): Promise<Turn> {
  const cpu = cpu_s(proxy.pid())
  const began = performance.now()
  const { done, chunks, failed, latencies_ms } = await load(proxy)
  if (failed > 0) throw new Error(`${failed} requests to "${proxy.name}" failed`)
  const count = chunks || done
  return { each_us: (1e6 * (cpu_s(proxy.pid()) - cpu)) / count, each_s: (performance.now() - began) / 1000 / count, latencies_ms }
}

/** Prints a ratio of after to before, above 1 where it got worse. It is too much where the whole interval is. */
function printRatio(name: string, pairs: readonly Pair[], share: number): boolean {
  const { ratio, low, high }: RatioInterval = typicalRatio(pairs, { share, draw: seeded(1) })
  const verdict = high <= 1 + WORSE_BY ? 'within 3 %' : low > 1 + WORSE_BY ? 'WORSE by more than 3 %' : 'not decided by these rounds'
  const typical = (side: keyof Pair): string =>
    quantile(
      pairs.map((pair) => quantile(pair[side], share)),
      0.5,
    ).toPrecision(3)
  console.log(
    `${name}: ${typical('without')} before, ${typical('with')} after, ratio ${ratio.toFixed(3)} (95 %: ${low.toFixed(3)} to ${high.toFixed(3)}), ${verdict}`,
  )
  return low <= 1 + WORSE_BY
}
