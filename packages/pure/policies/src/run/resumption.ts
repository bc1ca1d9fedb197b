// Where a following attempt starts, as text: a user who watches a recovery wants to know what it costs.

type ResumePoint = {
  /** Of the newest committed checkpoint that may be used. */
  readonly checkpoint: number | undefined
  /** The furthest that any attempt reported. */
  readonly lastStep: number | undefined
}

export function resumptionText({ checkpoint, lastStep }: ResumePoint): string {
  if (checkpoint !== undefined) return `goes on from the checkpoint of step ${checkpoint}`
  return lastStep === undefined ? 'starts again from the beginning' : 'no checkpoint yet: starts again at step 0'
}
