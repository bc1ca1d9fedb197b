// Every target a serving plan can be written for, by name.

import { type ServingPlan, servingPlanId, type ServingPool } from '@ironlaw/contracts'
import { commentLines, type ExportedPlan, caveatLines, shellWord, warningIf } from '../exported.ts'
import { type EngineFlags, sglangFlags, vllmFlags } from './engine-flags.ts'
import { hostFlags, hostsOf, type HostPlaces } from './hosts.ts'
import { kubernetes } from './kubernetes.ts'
import { poolLine, servingHead } from './serving-head.ts'
import { tensorrtLlm } from './tensorrt-llm.ts'

const SHELL_PLACES: HostPlaces = { leader: '"$LEADER"', rank: '"$RANK"', product: (factor) => `$((RANK * ${factor}))` }

/** One command per pool: what a replica of it starts. */
const command =
  (engine: 'vllm' | 'sglang', flagsOf: (plan: ServingPlan, pool: ServingPool) => EngineFlags) =>
  (plan: ServingPlan): ExportedPlan => {
    const parts = plan.pools.map((pool) => ({ pool, made: flagsOf(plan, pool) }))
    const lines = parts.flatMap(({ pool, made }) => {
      const { first, other } = hostFlags(engine, SHELL_PLACES, { plan, pool })
      const hosts = hostsOf(plan, pool)
      const start = (flags: readonly string[]): string =>
        [made.program.map(shellWord).join(' '), ...made.place, ...made.flags, ...flags].join(' \\\n  ')
      return [
        '',
        poolLine(pool),
        ...(hosts > 1 ? [`# On each of ${hosts} hosts, $RANK from 0 to ${hosts - 1}; $LEADER is the address of the first`] : []),
        ...(hosts > 1 && first !== other ? ['# The first'] : []),
        start(first),
        ...(hosts > 1 && first !== other ? ['# The others', start(other)] : []),
      ]
    })
    const warnings = [
      ...warningIf(plan.engine !== engine, `predicted for ${plan.engine}, not for ${engine}`),
      ...new Set(parts.flatMap(({ made }) => [...made.requires, ...made.warnings])),
    ]
    const impossible = [...new Set(parts.flatMap(({ made }) => made.impossible))]
    const head = commentLines([...servingHead(plan), ...caveatLines({ warnings, impossible })])
    return { text: `${[...head, ...lines].join('\n')}\n`, warnings, impossible }
  }

export const SERVING_TARGETS = {
  vllm: { about: 'vLLM: the command of a replica', extension: 'sh', write: command('vllm', vllmFlags) },
  sglang: { about: 'SGLang: the command of a replica', extension: 'sh', write: command('sglang', sglangFlags) },
  'tensorrt-llm': { about: 'TensorRT-LLM: the options and the command of a replica', extension: 'sh', write: tensorrtLlm },
  kubernetes: { about: 'Kubernetes: Deployment or LeaderWorkerSet, and Service', extension: 'yaml', write: kubernetes },
} as const satisfies Record<string, { about: string; extension: string; write: (plan: ServingPlan) => ExportedPlan }>

export type ServingTarget = keyof typeof SERVING_TARGETS

/** A plan as text for a target. The id written is the one computed from the content. */
export function exportServing(plan: ServingPlan, target: ServingTarget): ExportedPlan {
  const id = servingPlanId(plan)
  const { text, warnings, impossible } = SERVING_TARGETS[target].write({ ...plan, id })
  return {
    text,
    impossible,
    warnings: [...warningIf(id !== plan.id, `the plan was changed after it was named: its content is ${id}`), ...warnings],
  }
}
