// Replicas of one kind, and the router before them with what it sees.

import { PrefixIndex, readsPrefixes, type ReplicaSpeed, type Router, type RouterName, ROUTERS } from '@ironlaw/policies/serving'
import type { RandomStream } from '../kernel/random-stream.ts'
import type { SimulatedReplica } from './simulated-replica.ts'
import type { ReplicaRule } from './replica-rule.ts'
import type { RequestTable } from './request-table.ts'
import { emptyLoad } from './step-cost.ts'

type View = {
  readonly replicas: SimulatedReplica[]
  readonly request: { promptTokens: number; outputTokens: number; session: number }
  readonly cachedTokens: number[]
  turn: number
  readonly draw: () => number
}

/** Replicas are distinguished by thousands of tokens of context. */
const USUAL_CONTEXT = 1024
const USUAL_BATCH = 64

/** What a gateway would measure of a replica: prefill of a usual prompt, and decode steps alone and in a batch. */
export function speedOf({ cost, blocks, blockTokens }: ReplicaRule): ReplicaSpeed {
  const decode = (sequences: number): number => cost({ ...emptyLoad(), decodeSequences: sequences, decodeKeys: sequences * USUAL_CONTEXT })
  const prompt = { prefillSequences: 1, prefillTokens: USUAL_CONTEXT, prefillPairs: USUAL_CONTEXT ** 2 / 2 }
  return {
    prefill_s_per_token: cost({ ...emptyLoad(), ...prompt }) / USUAL_CONTEXT,
    step_s: decode(1),
    step_s_per_sequence: (decode(USUAL_BATCH) - decode(1)) / (USUAL_BATCH - 1),
    kvCapacity_tokens: blocks * blockTokens,
  }
}

export type PoolParts = {
  readonly rule: ReplicaRule
  readonly router: RouterName
  readonly table: RequestTable
  readonly random: RandomStream
  readonly hashes: Int32Array
}

export class ReplicaPool {
  readonly replicas: SimulatedReplica[] = []
  readonly speed: ReplicaSpeed
  private readonly table: RequestTable
  private readonly router: Router
  private readonly view: View
  private readonly index: PrefixIndex | undefined
  private readonly hashes: Int32Array
  private readonly hashTokens: number
  private readonly wanted: number[] = []

  constructor({ rule, router, table, random, hashes }: PoolParts) {
    this.table = table
    this.hashes = hashes
    this.hashTokens = rule.prefixTokens ?? 0
    this.speed = speedOf(rule)
    this.router = ROUTERS[router]
    const draw = (): number => random.uniform()
    const request = { promptTokens: 0, outputTokens: 0, session: 0 }
    this.view = { replicas: this.replicas, request, cachedTokens: [], turn: 0, draw }
    if (readsPrefixes(router) && this.hashTokens > 0)
      this.index = new PrefixIndex({ blocksPerReplica: Math.floor((rule.blocks * rule.blockTokens) / this.hashTokens) })
  }

  add(replica: SimulatedReplica): void {
    this.replicas.push(replica)
    this.view.cachedTokens.push(0)
  }

  /** The replica for this request; undefined when none is ready. */
  route(slot: number): SimulatedReplica | undefined {
    const { table, view, index, wanted } = this
    view.request.promptTokens = table.prompt[slot]!
    view.request.outputTokens = table.output[slot]!
    view.request.session = table.session[slot]!
    view.turn += 1
    if (index) {
      wanted.length = 0
      const first = table.hashFirst[slot]!
      const whole = Math.min(table.hashCount[slot]!, Math.floor(table.prompt[slot]! / this.hashTokens))
      for (let part = 0; part < whole; part += 1) wanted.push(this.hashes[first + part]!)
      index.match(wanted, view.cachedTokens)
      for (let replica = 0; replica < view.cachedTokens.length; replica += 1) view.cachedTokens[replica]! *= this.hashTokens
    }
    const chosen = this.router(view)
    if (chosen === -1) return undefined
    index?.add(chosen, wanted)
    return this.replicas[chosen]
  }

  /** It restarts: nothing of its cache is left. */
  forget(replica: number): void {
    this.index?.forget(replica)
  }

  get ready(): number {
    let ready = 0
    for (const replica of this.replicas) if (replica.ready) ready += 1
    return ready
  }
}
