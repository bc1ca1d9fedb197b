// Which of the parallel sequences takes a prompt. A sequence that is free keeps what it has evaluated, so the one that begins like the
// prompt saves evaluating that again.

export type Slot<Sequence> = { readonly sequence: Sequence; busy: boolean; used_at: number }

/** A prefix shorter than this share of the prompt is not worth another conversation's cache (llama-server's slot-prompt-similarity). */
const WORTHWHILE = 0.1

export class Slots<Sequence, Prompt extends readonly number[]> {
  readonly #slots: readonly Slot<Sequence>[]
  readonly #common: (sequence: Sequence, prompt: Prompt) => number
  #clock = 0

  constructor(sequences: readonly Sequence[], common: (sequence: Sequence, prompt: Prompt) => number) {
    this.#slots = sequences.map((sequence) => ({ sequence, busy: false, used_at: 0 }))
    this.#common = common
  }

  get running(): number {
    return this.#slots.filter((slot) => slot.busy).length
  }

  get all(): readonly Sequence[] {
    return this.#slots.map((slot) => slot.sequence)
  }

  /** Undefined when all are busy. */
  take(prompt: Prompt): Slot<Sequence> | undefined {
    let oldest: Slot<Sequence> | undefined
    let nearest: Slot<Sequence> | undefined
    let most = prompt.length * WORTHWHILE
    for (const slot of this.#slots) {
      if (slot.busy) continue
      if (!oldest || slot.used_at < oldest.used_at) oldest = slot
      const common = this.#common(slot.sequence, prompt)
      if (common > most) [nearest, most] = [slot, common]
    }
    const chosen = nearest ?? oldest
    if (chosen) chosen.busy = true
    return chosen
  }

  free(slot: Slot<Sequence>): void {
    slot.busy = false
    slot.used_at = this.#clock += 1
  }
}
