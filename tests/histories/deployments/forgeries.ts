// What a hostile gateway sends, over its own name: numbers out of any range, names of others and of nobody, and what is no message at all.

import { freshTotals } from '../../../packages/effects/control/test/simulated-gateway.ts'

type Scene = { readonly boot: string; readonly pools: readonly string[]; readonly replicas: readonly string[] }

const HUGE = 1e308

/** Bodies of requests, as text. */
export function forgery(number: number, { boot, pools, replicas }: Scene): string {
  const whole = { boot, version: -1, leaving: false, pools: pools.map((name) => ({ name, arrived: 0, queued: 0 })) }
  const everywhere = pools.flatMap((pool) => replicas.map((id) => freshTotals(pool, id)))
  const huge = { count: HUGE, log_sum: HUGE }
  const nobody = ['constructor', '__proto__', 'toString', 'chat@', 'chat@999', '@']
  const bodies = [
    { ...whole, replicas: everywhere.map((each) => ({ ...each, answers: HUGE, errors: HUGE, tokens: HUGE, ttft: huge, tpot: huge })) },
    { ...whole, replicas: everywhere.map((each) => ({ ...each, answers: -1 })) },
    { ...whole, replicas: [], surprise: true },
    { ...whole, replicas: nobody.map((id) => freshTotals('chat@1', id)) },
    {
      ...whole,
      replicas: nobody.map((pool) => freshTotals(pool, 'constructor')),
      pools: nobody.map((name) => ({ name, arrived: 1, queued: 1 })),
    },
    { ...whole, version: Number.MAX_SAFE_INTEGER, replicas: [] },
    { ...whole, replicas: everywhere.map((each) => ({ ...each, listed: true, running: HUGE })) },
    { ...whole, replicas: everywhere.map((each) => ({ ...each, errors: 1e6 })) },
    { ...whole, replicas: everywhere.map((each) => ({ ...each, ttft: { count: 1, log_sum: -HUGE }, tpot: { count: 0, log_sum: HUGE } })) },
    { ...whole, pools: pools.map((name) => ({ name, arrived: HUGE, queued: HUGE })), replicas: [] },
    { ...whole, replicas: Array.from({ length: 500 }, (_, index) => freshTotals(`chat@${index}`, `r${index}`)) },
  ]
  const body = bodies[number]
  return body ? JSON.stringify(body) : `{"boot":"${boot}","version":NaN,"pools":[],"replicas":[]}`
}
