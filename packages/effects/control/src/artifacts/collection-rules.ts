// What the garbage collection of artifacts and the registration decide. A key is written down (claimed) and committed before its object is
// removed; who registers an artifact looks again, under the lock, for those of its keys that are written down. Times are unix seconds.

import type { StoredObject } from '@ironlaw/artifacts'
import type { CollectedObject } from '@ironlaw/store'

/** Uploads that nobody has registered yet are kept for this long. */
export const UPLOAD_S = 86_400

/** A removal that was given up, by a crash or a time limit, may still take effect for this long. */
export const CLAIM_S = 600

/** A removal begins this long after its claim at most, so that it ends long before the claim is void. */
const BEGIN_S = 60

/** Who registers has looked for the objects this long ago at most. */
const LOOK_S = 3600

/** Longer than anybody who looked before a removal may register after it. */
export const REMEMBERED_S = 2 * UPLOAD_S

export const isGarbage = (
  { key, modified_at }: StoredObject,
  { needed, before_at }: { readonly needed: ReadonlySet<string>; readonly before_at: number },
): boolean => !needed.has(key) && modified_at < before_at

export const mayBeginRemoval = (claimed_at: number, at: number): boolean => at - claimed_at <= BEGIN_S

export const isLookRecent = (looked_at: number, at: number): boolean => at - looked_at <= LOOK_S

type SecondLook =
  /** A removal of some of them may be under way. */
  { readonly decision: 'wait'; readonly wait_s: number } | { readonly decision: 'look'; readonly keys: readonly string[] }

export function secondLook(collected: readonly CollectedObject[], at: number): SecondLook {
  const waits = collected.flatMap((each) => (each.claim === null || each.at < at - CLAIM_S ? [] : each.at + CLAIM_S - at))
  if (waits.length > 0) return { decision: 'wait', wait_s: Math.max(...waits) }
  return { decision: 'look', keys: collected.map(({ key }) => key) }
}
