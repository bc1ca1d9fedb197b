// Which of the parallel sequences takes a prompt. A free sequence keeps what it has evaluated, so the one that shares a prefix with the
// prompt saves evaluating it again; but only for requests with the same salt. Where none does, one next to a busy one is taken: llama.cpp
// computes sequences together only where their numbers are consecutive (`llama_batch_allocr::split_equal`), and reads all weights once for
// each such group.

export type Slot<Sequence> = {
  readonly sequence: Sequence
  readonly place: number
  busy: boolean
  used_at: number
  salt: string | undefined
}

/** A prefix shorter than this share of the prompt is not worth another conversation's cache (llama-server's slot-prompt-similarity). */
const WORTHWHILE = 0.1

export class Slots<Sequence, Prompt extends readonly number[]> {
  readonly #slots: readonly Slot<Sequence>[]
  readonly #common: (sequence: Sequence, prompt: Prompt) => number
  #clock = 0

  constructor(sequences: readonly Sequence[], common: (sequence: Sequence, prompt: Prompt) => number) {
    this.#slots = sequences.map((sequence, place) => ({ sequence, place, busy: false, used_at: 0, salt: undefined }))
    this.#common = common
  }

  get running(): number {
    return this.#slots.filter((slot) => slot.busy).length
  }

  get all(): readonly Sequence[] {
    return this.#slots.map((slot) => slot.sequence)
  }

  /** Undefined when all are busy. */
  take(prompt: Prompt, salt?: string): Slot<Sequence> | undefined {
    const free = this.#slots.filter((slot) => !slot.busy)
    let nearest: Slot<Sequence> | undefined
    let most = prompt.length * WORTHWHILE
    for (const slot of free) {
      if (slot.salt !== salt) continue
      const common = this.#common(slot.sequence, prompt)
      if (common > most) [nearest, most] = [slot, common]
    }
    const chosen = nearest ?? this.#nextToBusy(free)
    if (chosen) chosen.busy = true
    return chosen
  }

  free(slot: Slot<Sequence>): void {
    slot.busy = false
    slot.used_at = this.#clock += 1
  }

  /** The one with the most busy neighbours, but none of the half used last: their conversations may come back. */
  #nextToBusy(free: readonly Slot<Sequence>[]): Slot<Sequence> | undefined {
    const neighbours = ({ place }: Slot<Sequence>): number =>
      Number(this.#slots[place - 1]?.busy ?? false) + Number(this.#slots[place + 1]?.busy ?? false)
    const older = free.toSorted((a, b) => a.used_at - b.used_at).slice(0, Math.ceil(free.length / 2))
    return older.toSorted((a, b) => neighbours(b) - neighbours(a))[0]
  }
}
