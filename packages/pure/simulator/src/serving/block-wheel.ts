// When the decoding requests of a replica need their next blocks. All of them take a step at a time, so each needs a block every `period`
// steps, and counting them by the remainder of the step in which they do answers for any number of steps without visiting one of them.

export class BlockWheel {
  readonly period: number
  private readonly needs: Int32Array
  private requests = 0

  constructor(period: number) {
    this.period = period
    this.needs = new Int32Array(period)
  }

  /** `untilBlock` steps from step `from` on, this request needs its next block. */
  add(from: number, untilBlock: number): void {
    this.needs[(from + untilBlock) % this.period]! += 1
    this.requests += 1
  }

  remove(from: number, untilBlock: number): void {
    this.needs[(from + untilBlock) % this.period]! -= 1
    this.requests -= 1
  }

  /** Blocks that one request has needed after `steps` steps. */
  blocksAfter(steps: number, untilBlock: number): number {
    return steps > untilBlock ? Math.floor((steps - 1 - untilBlock) / this.period) + 1 : 0
  }

  blocksAt(step: number): number {
    return this.needs[step % this.period]!
  }

  /** Blocks that all need in `count` steps from step `from` on. */
  blocksOver(from: number, count: number): number {
    let sum = Math.floor(count / this.period) * this.requests
    for (let step = count % this.period; step > 0; step -= 1) sum += this.blocksAt(from + count - step)
    return sum
  }

  /** Steps from step `from` on, up to `most`, that `blocks` blocks are enough for. */
  stepsCovered(from: number, { blocks, most }: { readonly blocks: number; readonly most: number }): number {
    if (this.requests * Math.ceil(most / this.period) <= blocks) return most
    const rounds = Math.floor(blocks / this.requests)
    let left = blocks - rounds * this.requests
    let steps = rounds * this.period
    while (steps < most) {
      left -= this.blocksAt(from + steps)
      if (left < 0) return steps
      steps += 1
    }
    return most
  }
}
