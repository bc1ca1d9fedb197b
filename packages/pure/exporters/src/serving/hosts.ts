// A replica over several hosts: which flags each engine needs to find the others. vLLM starts copies of the attention by their first rank (its
// docs/serving/data_parallel_deployment.md and expert_parallel_deployment.md) and everything else by node; SGLang counts nodes in both cases.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'

export type HostPlaces = {
  /** Where the first host is, and which host this is, as the target's own text writes them. */
  readonly leader: string
  readonly rank: string
  readonly product: (factor: number) => string
}

export const hostsOf = ({ devicesPerNode }: ServingPlan, { devicesPerReplica }: ServingPool): number =>
  Math.ceil(devicesPerReplica / devicesPerNode)

type HostFlags = { readonly first: readonly string[]; readonly other: readonly string[] }

const RPC_PORT = 13_345
const INIT_PORT = 5000

export function hostFlags(
  engine: 'vllm' | 'sglang',
  places: HostPlaces,
  { plan, pool }: { plan: ServingPlan; pool: ServingPool },
): HostFlags {
  const hosts = hostsOf(plan, pool)
  if (hosts === 1) return { first: [], other: [] }
  const { leader, rank, product } = places
  if (engine === 'sglang') {
    const flags = [`--nnodes ${hosts}`, `--node-rank ${rank}`, `--dist-init-addr ${leader}:${INIT_PORT}`]
    return { first: flags, other: flags }
  }
  if (pool.layout.data === 1) {
    const flags = [`--nnodes ${hosts}`, `--node-rank ${rank}`, `--master-addr ${leader}`]
    return { first: flags, other: [...flags, '--headless'] }
  }
  const copies = Math.max(1, Math.floor(plan.devicesPerNode / pool.layout.tensor))
  const flags = [`--data-parallel-size-local ${copies}`, `--data-parallel-address ${leader}`, `--data-parallel-rpc-port ${RPC_PORT}`]
  return { first: flags, other: [...flags, `--data-parallel-start-rank ${product(copies)}`, '--headless'] }
}
