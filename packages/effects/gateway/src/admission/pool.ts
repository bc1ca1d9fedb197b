// The replicas that serve one model the same way, and who waits for them.

import {
  admissionDecision,
  type Admission,
  type Arrival,
  BLOCK_CHARACTERS,
  blockHashes,
  FairQueue,
  finishRateAfter,
  type FirstByteTimes,
  hashOfText,
  allowsRequest,
  noFirstBytes,
  observeFor_s,
  type QueueTicket,
  PrefixIndex,
  readsPrefixes,
  ROUTERS,
  type RoutedRequest,
} from '@ironlaw/policies/serving'
import { newUpstream, type Upstream } from '../upstream/upstream.ts'
import type { LiveCertificate } from '@ironlaw/certificates'
import type { PoolEntry } from '@ironlaw/contracts/gateway-snapshot'

export type WaitingCall = {
  readonly place: QueueTicket
  readonly tokens: number
  readonly start: () => void
  readonly elsewhere: () => void
}

const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_BLOCK = BLOCK_CHARACTERS / CHARACTERS_PER_TOKEN

export class Pool {
  readonly name: string
  entry: PoolEntry
  replicas: Upstream[] = []
  /** No longer in the configuration, with requests that still run there. */
  readonly leaving = new Set<Upstream>()
  /** Requests that came for this pool, those turned away too. */
  arrived = 0
  readonly firstBytes: FirstByteTimes = noFirstBytes()
  readonly #queue = new FairQueue<WaitingCall>()
  #prefixes: PrefixIndex
  #queuedTokens = 0
  #running = 0
  #maxRunning = 0
  #turn = 0
  /** Shown to engines. */
  readonly #identity: LiveCertificate | undefined
  #rate = 0
  #finished = 0
  #ratedAt = 0
  readonly #blocks: number[] = []
  #matched: number[] = []
  #cached: number[] = []
  #loads: readonly Upstream['load'][] = []

  constructor(name: string, entry: PoolEntry, identity?: LiveCertificate) {
    this.#identity = identity
    this.name = name
    this.entry = entry
    this.#prefixes = newPrefixes(entry)
    this.apply(entry)
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Replicas that stay keep what is known of them; those that go may finish what runs. */
  apply(entry: PoolEntry): void {
    const before = this.replicas
    const speed = {
      prefill_s_per_token: entry.prefill_s_per_token,
      step_s: entry.step_s,
      step_s_per_sequence: entry.step_s_per_sequence,
      kvCapacity_tokens: entry.kv_tokens,
    }
    this.replicas = entry.replicas.map((one) => {
      const { host, protocol } = new URL(one.url)
      const isSecure = protocol === 'https:'
      return (
        before.find(
          (kept) => kept.id === one.id && kept.host === host && kept.isSecure === isSecure && kept.maxRunning === one.max_running,
        ) ?? newUpstream(one, speed, this.#identity)
      )
    })
    for (const replica of before) {
      if (this.replicas.includes(replica)) continue
      replica.leaving = true
      if (replica.load.running === 0) replica.connections.close()
      else this.leaving.add(replica)
    }
    // The index knows replicas by their place.
    if (before.some((replica, index) => replica !== this.replicas[index])) this.#prefixes = newPrefixes(entry)
    this.entry = entry
    this.#maxRunning = entry.replicas.reduce((sum, one) => sum + one.max_running, 0)
    this.#matched = this.replicas.map(() => 0)
    this.#cached = this.replicas.map(() => 0)
    this.#loads = this.replicas.map(({ load }) => load)
    this.#startWaiting()
  }

  admit(arrival: Arrival): Admission {
    return admissionDecision(
      {
        running: this.#running,
        maxRunning: this.#maxRunning,
        queued: this.#queue.length,
        maxQueued: this.entry.max_queued,
        queuedTokens: this.#queuedTokens,
        maxQueuedTokens: this.entry.max_queued_tokens,
        // Without replicas there is no rate: requests wait for the first replica.
        tokensPerSecond: this.replicas.length === 0 ? 0 : this.#rate,
      },
      arrival,
    )
  }

  enqueue(waiting: WaitingCall): void {
    this.#queue.push(waiting, waiting.place)
    this.#queuedTokens += waiting.tokens
  }

  /** The pool was removed: requests that wait here go elsewhere. */
  dismiss(): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#queuedTokens -= next.tokens
      next.elsewhere()
    }
  }

  /** Its sender left, or its time is up. */
  leave(waiting: WaitingCall): boolean {
    const left = this.#queue.remove(waiting, waiting.place)
    if (left) this.#queuedTokens -= waiting.tokens
    return left
  }

  recordStart({ place, tokens }: { readonly place: QueueTicket; readonly tokens: number }): void {
    this.#running += 1
    this.#queue.charge(place, tokens)
  }

  recordEnd(tokens: number): void {
    this.#running -= 1
    this.#finished += tokens
    this.#startWaiting()
  }

  #startWaiting(): void {
    while (this.#running < this.#maxRunning) {
      const next = this.#queue.shift()
      if (!next) return
      this.#queuedTokens -= next.tokens
      next.start()
    }
  }

  /** The replica to send to, and the tokens of the prompt that it is thought to hold. `text` is read only where the router looks at it. */
  route(
    request: RoutedRequest,
    { text, salt, tried, now, draw }: RouteInputs,
  ): { readonly replica: Upstream; readonly cached: number } | undefined {
    const looks = readsPrefixes(this.entry.router) && this.replicas.length > 1
    if (looks) {
      this.#prefixes.match(blockHashes(text(), hashOfText(salt), this.#blocks), this.#matched)
      for (const [index, blocks] of this.#matched.entries()) this.#cached[index] = blocks * TOKENS_PER_BLOCK
    }
    for (const replica of this.replicas) replica.load.ready = isReady(replica, now) && !tried.includes(replica)
    this.#turn += 1
    const index = ROUTERS[this.entry.router]({ replicas: this.#loads, request, cachedTokens: this.#cached, turn: this.#turn, draw })
    const replica = this.replicas[index]
    if (!replica) return undefined
    const cached = looks ? Math.min(request.promptTokens, this.#cached[index] ?? 0) : 0
    if (looks) this.#prefixes.add(index, this.#blocks)
    return { replica, cached }
  }

  hasReady(tried: readonly Upstream[], now: number): boolean {
    return this.replicas.some((replica) => isReady(replica, now) && !tried.includes(replica))
  }

  /** Whether a replica would take a request once it has room. */
  hasHealthy(now: number): boolean {
    return this.replicas.some(({ breaker }) => allowsRequest(breaker, now))
  }

  tick(now: number): void {
    for (const replica of this.replicas) replica.connections.closeIdle(now * 1000)
    const elapsed_s = now - this.#ratedAt
    const isWaiting = this.#queue.length > 0
    if (elapsed_s < observeFor_s(this.#rate, isWaiting)) return
    this.#rate = finishRateAfter(this.#rate, { finished: this.#finished, elapsed_s, isWaiting })
    this.#finished = 0
    this.#ratedAt = now
  }

  close(): void {
    for (const replica of this.replicas) replica.connections.close()
  }
}

export type RouteInputs = {
  readonly text: () => string
  /** Prefixes are looked for among those of the same salt, as the engines do. */
  readonly salt: string
  /** Replicas that this request has already failed on. */
  readonly tried: readonly Upstream[]
  readonly now: number
  readonly draw: () => number
}

const isReady = ({ load, maxRunning, breaker }: Upstream, now: number): boolean => load.running < maxRunning && allowsRequest(breaker, now)

const newPrefixes = (entry: PoolEntry): PrefixIndex =>
  new PrefixIndex({ blocksPerReplica: Math.max(1, Math.floor(entry.kv_tokens / TOKENS_PER_BLOCK)) })
