// The scheduler of one replica as plainly as it can be written: every request and every block looked at in every step. The test holds the
// fast one against it.

import type { ReplicaRule } from './replica-rule.ts'

export type NaiveRequest = { readonly at_s: number; readonly prompt: number; readonly output: number }

type State = {
  readonly request: NaiveRequest
  made: number
  computed: number
  decodes: boolean
  blocks: number
  first: number
  end: number
}

const target = ({ request, made }: State): number => request.prompt + made
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Time to first token and to the end, by request. Recomputes preempted requests; no prefixes, adapters or drafts. */
export function naiveReplica(rule: ReplicaRule, requests: readonly NaiveRequest[]): number[][] {
  const replica = new NaiveReplica(rule, requests)
  while (replica.states.some(({ end }) => Number.isNaN(end))) replica.step()
  return replica.states.map(({ request, first, end }) => [first - request.at_s, end - request.at_s])
}

class NaiveReplica {
  readonly states: readonly State[]
  private readonly rule: ReplicaRule
  private readonly waiting: State[] = []
  private running: State[] = []
  private free: number
  private now = 0
  private arrived = 0

  constructor(rule: ReplicaRule, requests: readonly NaiveRequest[]) {
    this.rule = rule
    this.free = rule.blocks
    this.states = requests.map((request) => ({ request, made: 0, computed: 0, decodes: false, blocks: 0, first: NaN, end: NaN }))
  }

  step(): void {
    this.arrive()
    const early = !this.rule.ahead || this.running.length === 0
    const preempted = this.makeRoom()
    if (!preempted && early) this.admit()
    const decoding = this.running.filter(({ decodes }) => decodes)
    const chunks = this.chunks()
    const prefillPairs = sum([...chunks].map(([{ computed }, tokens]) => tokens * computed + (tokens * (tokens + 1)) / 2))
    for (const [state, tokens] of chunks) state.computed += tokens
    if (!preempted && !early) this.admit()
    this.now += this.rule.cost({
      prefillSequences: chunks.size,
      prefillTokens: sum([...chunks.values()]),
      prefillPairs,
      decodeSequences: decoding.length,
      decodeKeys: sum(decoding.map(({ computed }) => computed + 1)),
    })
    for (const state of decoding) {
      state.computed += 1
      state.made += 1
    }
    for (const state of chunks.keys()) if (state.computed === target(state)) this.prefillDone(state)
    for (const state of this.running.filter(({ made, request }) => made === request.output)) {
      state.end = this.now
      this.free += state.blocks
    }
    this.running = this.running.filter(({ end }) => Number.isNaN(end))
  }

  private prefillDone(state: State): void {
    state.made += 1
    state.decodes = true
    if (Number.isNaN(state.first)) state.first = this.now
  }

  private arrive(): void {
    const next = this.states[this.arrived]
    if (this.running.length === 0 && this.waiting.length === 0 && next) this.now = Math.max(this.now, next.request.at_s)
    for (let state = next; state && state.request.at_s <= this.now; state = this.states[this.arrived]) {
      this.waiting.push(state)
      this.arrived += 1
    }
  }

  private makeRoom(): boolean {
    for (let preempted = false; ; preempted = true) {
      const lacking = this.running.filter((state) => state.decodes && this.blocksFor(state.computed + 1) > state.blocks)
      if (lacking.length <= this.free) {
        for (const state of lacking) state.blocks += 1
        this.free -= lacking.length
        return preempted
      }
      const victim = this.running.pop()
      if (!victim) return preempted
      this.free += victim.blocks
      this.waiting.unshift(Object.assign(victim, { blocks: 0, computed: 0, decodes: false }))
    }
  }

  private admit(): void {
    while (this.waiting[0] && this.running.length < this.rule.sequencesMost) {
      const pending = sum(this.running.map((state) => (state.decodes ? 0 : target(state) - state.computed)))
      const blocks = this.blocksFor(target(this.waiting[0]))
      if (pending >= this.room() || blocks > this.free) return
      this.free -= blocks
      this.running.push(Object.assign(this.waiting[0], { blocks }))
      this.waiting.shift()
    }
  }

  private chunks(): Map<State, number> {
    let room = this.room()
    const chunks = new Map<State, number>()
    for (const state of this.running.filter(({ decodes }) => !decodes)) {
      const tokens = Math.min(room, target(state) - state.computed)
      if (tokens > 0) chunks.set(state, tokens)
      room -= tokens
    }
    return chunks
  }

  private room(): number {
    return this.rule.tokensPerStep - this.running.filter(({ decodes }) => decodes).length
  }

  private blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.rule.blockTokens)
  }
}
