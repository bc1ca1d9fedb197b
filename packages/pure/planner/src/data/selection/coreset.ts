// The samples with the highest scores, with a minimum of each class: by score alone, rare classes vanish. The same samples give the same coreset in any
// order, and a coreset of coresets of parts is the coreset of the whole, so parts can be scored where they lie.

export type ScoredSample = { readonly id: string; readonly score: number; readonly class: string }

export type CoresetRequest = {
  readonly keep: number
  /** Samples of each class that are kept whatever their scores, as far as there are; for all classes alike or by class. */
  readonly least: number | Readonly<Record<string, number>>
}

type ClassCount = {
  readonly class: string
  readonly pool: number
  readonly kept: number
  /** Fewer than asked for, because the class has no more. */
  readonly short: number
}

export type Coreset<Sample extends ScoredSample = ScoredSample> =
  | { readonly ok: true; readonly kept: readonly Sample[]; readonly classes: readonly ClassCount[] }
  | { readonly ok: false; readonly reason: string }

const leastOf = (least: CoresetRequest['least'], name: string): number =>
  typeof least === 'number' ? least : Object.hasOwn(least, name) ? (least[name] ?? 0) : 0

/** Higher scores first, equal ones by id. */
const byScore = (a: ScoredSample, b: ScoredSample): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export function selectCoreset<Sample extends ScoredSample>(samples: readonly Sample[], { keep, least }: CoresetRequest): Coreset<Sample> {
  const unscored = samples.find(({ score }) => !Number.isFinite(score))
  if (unscored) return { ok: false, reason: `sample ${unscored.id} has the score ${unscored.score}; score it or leave it out` }
  const sorted = samples.toSorted(byScore)
  const classes = Map.groupBy(sorted, (sample) => sample.class)
  const reserved = new Set([...classes].flatMap(([name, members]) => members.slice(0, leastOf(least, name))))
  if (reserved.size > keep)
    return {
      ok: false,
      reason: `the minimums of ${classes.size} classes need ${reserved.size} samples, but ${keep} are to be kept; keep more or lower them`,
    }
  let free = keep - reserved.size
  const kept = sorted.filter((sample) => reserved.has(sample) || (free > 0 && free-- > 0))
  const counts = new Map<string, number>()
  for (const sample of kept) counts.set(sample.class, (counts.get(sample.class) ?? 0) + 1)
  return {
    ok: true,
    kept,
    classes: [...classes]
      .map(([name, members]) => ({
        class: name,
        pool: members.length,
        kept: counts.get(name) ?? 0,
        short: Math.max(0, leastOf(least, name) - members.length),
      }))
      .toSorted((a, b) => (a.class < b.class ? -1 : 1)),
  }
}

/** Classes of which a uniform selection would keep fewer than the minimum, with how many: why minimums are set before pruning. */
export const uniformShortfalls = (
  sizes: Readonly<Record<string, number>>,
  { share, least }: { readonly share: number; readonly least: number },
): readonly { readonly class: string; readonly kept: number; readonly least: number }[] =>
  Object.entries(sizes)
    .map(([name, size]) => ({ class: name, kept: Math.round(size * share), least }))
    .filter(({ kept }) => kept < least)
