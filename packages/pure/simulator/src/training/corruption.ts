// Silent corruption: from which work on results are wrong, and when that was detected.

export class Corruption {
  /** Changes when a clean checkpoint was restored: what would have been found before then is gone. */
  tag = 0
  private soundUntil = Infinity
  private known = false

  strike(work: number): void {
    this.soundUntil = Math.min(this.soundUntil, work)
  }

  markFound(): void {
    this.known = true
  }

  /** Work up to which a checkpoint is taken for sound. */
  get trusted(): number {
    return this.known ? this.soundUntil : Infinity
  }

  restore(work: number): void {
    if (work > this.soundUntil) return
    this.soundUntil = Infinity
    this.known = false
    this.tag += 1
  }
}
