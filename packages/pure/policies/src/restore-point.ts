// Which checkpoint to resume from. Only committed ones are offered: a checkpoint is in the list from the moment its commit is recorded.

export type CommittedCheckpoint = {
  /** Work that the checkpoint holds. */
  readonly work: number
  /** Index of its tier; lower ones load faster. */
  readonly tier: number
}

/** The one with most work among those taken before `soundUntil`, of the fastest tier; undefined: from the beginning. */
export function restorePoint(committed: readonly CommittedCheckpoint[], soundUntil: number = Infinity): CommittedCheckpoint | undefined {
  return committed.reduce<CommittedCheckpoint | undefined>((best, each) => {
    if (each.work > soundUntil) return best
    if (!best || each.work > best.work) return each
    return each.work === best.work && each.tier < best.tier ? each : best
  }, undefined)
}
