// The loop: take an input that reached something new, change it, run it, keep it if it reaches something new again. The same seed on the
// same code does the same.

import { Coverage } from './coverage.ts'
import { execute, type Judgement } from './execution.ts'
import { mutatedInput } from './mutate/mutate.ts'
import { Random } from './mutate/random.ts'
import { reduceInput } from './reduce.ts'
import { MOST_BYTES, type Target } from './target.ts'

export type FoundFault = Judgement & { readonly input: Uint8Array; readonly execution: number }

export type FuzzOptions = {
  readonly target: Target
  readonly counters: Uint32Array
  readonly branches: number
  readonly words: readonly string[]
  readonly seed: number
  readonly corpus: readonly Uint8Array[]
  /** Called before each execution, so that a supervisor learns which input ends the process. */
  readonly onInput?: (input: Uint8Array) => void
  readonly onEntry?: (input: Uint8Array) => void
  readonly onFault?: (fault: FoundFault) => void
}

type Entry = { readonly input: Uint8Array; picked: number }

const TRIM_TRIES = 48
const FAULT_TRIES = 150
/** Each takes a quarter of a second and more. */
const SLOW_TRIES = 8
/** Not made smaller: at the edge of the stack it depends on the caller whether an input goes over it. */
const STACK = /call stack/

export class Fuzzer {
  readonly #options: FuzzOptions
  readonly #random: Random
  readonly #words: readonly string[]
  readonly #entries: Entry[] = []
  readonly coverage: Coverage
  readonly faults = new Map<string, FoundFault>()
  executions = 0
  bytes = 0

  constructor(options: FuzzOptions) {
    this.#options = options
    this.#random = new Random(options.seed)
    this.#words = [...new Set([...options.words, ...(options.target.words ?? [])])]
    this.coverage = new Coverage(options.counters, options.branches)
  }

  get corpus(): number {
    return this.#entries.length
  }

  /** The inputs to begin with. */
  async prime(): Promise<void> {
    const { target, corpus } = this.#options
    for (const input of [...target.seeds.map((seed) => Buffer.from(seed)), ...corpus]) await this.#look(input, { trim: false })
    if (this.#entries.length === 0) this.#add(Buffer.from('{}'))
  }

  async turn(): Promise<void> {
    const { target } = this.#options
    const parent = this.#pick()
    parent.picked += 1
    const other = (): Uint8Array => this.#random.pick(this.#entries).input
    const input = mutatedInput(parent.input, this.#random, { words: this.#words, other, grammar: target.grammar })
    await this.#look(input, { trim: true })
  }

  async #look(input: Uint8Array, { trim }: { readonly trim: boolean }): Promise<void> {
    const fault = await this.#run(input)
    if (fault) return this.#fail(input, fault)
    const news = this.coverage.newMarks()
    if (news.length === 0) return
    const signature = this.coverage.signature(news)
    const holds = async (candidate: Uint8Array): Promise<boolean> =>
      (await this.#run(candidate)) === undefined && this.coverage.matches(signature)
    const kept = trim ? await reduceInput(input, { grammar: this.#options.target.grammar, tries: TRIM_TRIES, holds }) : input
    await this.#run(kept)
    this.coverage.keep()
    this.#add(kept)
    if (trim) this.#options.onEntry?.(kept)
  }

  async #fail(input: Uint8Array, { kind, key, message }: Judgement): Promise<void> {
    if (this.faults.has(key)) return
    const found = { kind, key, message, execution: this.executions }
    this.faults.set(key, { ...found, input })
    const holds = async (candidate: Uint8Array): Promise<boolean> => (await this.#run(candidate))?.key === key
    const tries = kind === 'slow' ? SLOW_TRIES : STACK.test(message) ? 0 : FAULT_TRIES
    const fault = { ...found, input: await reduceInput(input, { grammar: this.#options.target.grammar, tries, holds }) }
    this.faults.set(key, fault)
    this.#options.onFault?.(fault)
  }

  #run(input: Uint8Array): Promise<Judgement | undefined> {
    this.executions += 1
    this.#options.onInput?.(input)
    return execute({ input, target: this.#options.target, coverage: this.coverage })
  }

  #add(input: Uint8Array): void {
    // Memory of its own: a small Buffer would hold the whole pool block that it lies in.
    const own = new Uint8Array(input.subarray(0, MOST_BYTES))
    this.#entries.push({ input: own, picked: 0 })
    this.bytes += own.length
  }

  /** Of three, the one that was picked least, small ones before large ones; now and then the newest. */
  #pick(): Entry {
    const newest = this.#entries.at(-1)
    if (newest && this.#random.chance(0.1)) return newest
    const some = [this.#random.pick(this.#entries), this.#random.pick(this.#entries), this.#random.pick(this.#entries)] as const
    return some.reduce((least, one) => (costOf(one) < costOf(least) ? one : least))
  }
}

const costOf = ({ picked, input }: Entry): number => (1 + picked) * (1 + input.length / 512)
