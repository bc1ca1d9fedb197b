// Checkpoints of a run by tier: what is being written, what is committed, what a failure destroyed. A checkpoint can be restored from
// the moment it is committed; one whose write was cut off never can.

import { type CommittedCheckpoint, restorePoint } from '@ironlaw/policies'
import type { Survival, Tier } from './campaign.ts'

/** The newest checkpoints are all kept, older ones ever more sparsely: silent corruption may be found late. */
const KEPT = 64
/** Of its age, how far an old checkpoint lies from the next older one: going back costs that much more at most. */
const APART = 1 / 16

const RANK: Readonly<Record<Survival, number>> = { process: 0, node: 1, everything: 2 }

export class CheckpointStore {
  private readonly tiers: readonly Tier[]
  private committed: number[][]
  /** Work in the checkpoint being written per tier; -1 when none is. */
  private readonly writing: number[]
  private readonly until: number[]
  private underWay = 0
  /** Commits since old ones were dropped. */
  private readonly unthinned: number[]

  constructor(tiers: readonly Tier[]) {
    this.tiers = tiers
    this.committed = tiers.map(() => [])
    this.writing = tiers.map(() => -1)
    this.until = tiers.map(() => Infinity)
    this.unthinned = tiers.map(() => 0)
  }

  /** A write of what `work` stands for, over at the time `until`. */
  begin(tier: number, work: number, until: number): void {
    this.writing[tier] = work
    this.until[tier] = until
    this.underWay += 1
  }

  isWriting(tier: number): boolean {
    return this.writing[tier] !== -1
  }

  get busy(): boolean {
    return this.underWay > 0
  }

  /** When the first write under way is over; Infinity without one. */
  get nextCommit(): number {
    return this.underWay === 0 ? Infinity : Math.min(...this.until)
  }

  commit(tier: number): void {
    this.keep(tier, this.writing[tier] ?? 0)
    this.writing[tier] = -1
    this.until[tier] = Infinity
    this.underWay -= 1
  }

  /** As many commits to the only tier, equally far apart. */
  commitAlike(first: number, apart: number, times: number): void {
    for (let index = 0; index < times; index += 1) this.keep(0, first + index * apart)
  }

  private keep(tier: number, work: number): void {
    const kept = this.committed[tier] ?? []
    kept.push(work)
    this.unthinned[tier] = (this.unthinned[tier] ?? 0) + 1
    if (kept.length > 2 * KEPT && this.unthinned[tier] > KEPT) this.thin(tier, kept)
  }

  /** In place: a simulated run of months does it thousands of times, and spent most of its time here. */
  private thin(tier: number, kept: number[]): void {
    this.unthinned[tier] = 0
    const newest = kept.at(-1) ?? 0
    const old = kept.length - KEPT
    let last = -Infinity
    let sparse = 0
    for (let index = 0; index < kept.length; index += 1) {
      const work = kept[index] ?? 0
      if (index < old && work - last < APART * (newest - work)) continue
      last = work
      kept[sparse] = work
      sparse += 1
    }
    kept.length = sparse
  }

  /** A stop of the run: writes end where they are, and tiers that do not outlive it are gone. */
  lose(damage: Survival): void {
    this.writing.fill(-1)
    this.until.fill(Infinity)
    this.underWay = 0
    this.committed = this.committed.map((kept, tier) => (RANK[this.tiers[tier]?.survives ?? 'process'] < RANK[damage] ? [] : kept))
  }

  /** Where to resume; checkpoints with more work than that are dropped. */
  restore(soundUntil: number): CommittedCheckpoint {
    const newest = this.committed.flatMap((kept, tier) => {
      const work = kept.findLast((each) => each <= soundUntil)
      return work === undefined ? [] : [{ work, tier }]
    })
    const chosen = restorePoint(newest, soundUntil) ?? { work: 0, tier: this.tiers.length - 1 }
    for (const kept of this.committed) while ((kept.at(-1) ?? 0) > chosen.work) kept.pop()
    return chosen
  }
}
