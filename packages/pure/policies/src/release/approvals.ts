// Whether a version has the approvals that a release of its project needs. Four eyes: who made the version, and who releases it, do not approve it.

import { includesRole, PROJECT_ROLES, type ProjectRole } from '@ironlaw/contracts'
import type { Approvals, Discount } from '@ironlaw/contracts/model-registry'

type Need = Approvals['needed'][number]

export type StandingApproval = {
  readonly number: number
  readonly by: string
  /** Whom it counts for: who approves by two tokens is one person. */
  readonly person: string
  /** The lower of the role that the person had and the one they have now; undefined where they have none any more. */
  readonly role: ProjectRole | undefined
}

export const DISCOUNT_TEXT: Readonly<Record<Discount, string>> = {
  'made-the-version': 'made the version',
  'releases-it': 'releases it',
  'same-person': 'is the same person as another who approved',
  'no-role': 'has no role in the project any more',
}

type ApprovalsAsked = {
  readonly needed: readonly Need[]
  /** After the last refusal and retirement. */
  readonly approvals: readonly StandingApproval[]
  /** People who made the version. */
  readonly makers: ReadonlySet<string>
  /** Who is about to release it, where somebody is. */
  readonly releaser?: string
}

type JudgedApprovals = Pick<Approvals, 'needed' | 'given' | 'discounted'> & { readonly missing: readonly Need[] }

export function judgeApprovals({ needed, approvals, makers, releaser }: ApprovalsAsked): JudgedApprovals {
  const given: (Approvals['given'][number] & { readonly person: string })[] = []
  const discounted: Approvals['discounted'] = []
  // The highest role of a person first, so that it is the one that counts.
  for (const { number, by, person, role } of approvals.toSorted((a, b) => rankOf(b.role) - rankOf(a.role) || a.number - b.number)) {
    const because: Discount | undefined = makers.has(person)
      ? 'made-the-version'
      : person === releaser
        ? 'releases-it'
        : given.some((each) => each.person === person)
          ? 'same-person'
          : undefined
    if (role === undefined || because) discounted.push({ number, by, because: because ?? 'no-role' })
    else given.push({ number, by, role, person })
  }
  return {
    needed: [...needed],
    given: given.map(({ number, by, role }) => ({ number, by, role })),
    discounted,
    missing: missingOf(needed, given),
  }
}

/** Everybody counts for one need. Roles include each other, so the highest need is met first, by the highest roles. */
function missingOf(needed: readonly Need[], given: readonly { readonly role: ProjectRole }[]): readonly Need[] {
  let left = given.toSorted((a, b) => rankOf(b.role) - rankOf(a.role))
  return needed
    .toSorted((a, b) => rankOf(b.role) - rankOf(a.role))
    .flatMap(({ role, people }) => {
      const met = left.filter((each) => includesRole(each.role, role)).slice(0, people).length
      left = left.slice(met)
      return met < people ? [{ role, people: people - met }] : []
    })
}

const rankOf = (role: ProjectRole | undefined): number => (role === undefined ? -1 : PROJECT_ROLES.indexOf(role))

/** The lower of two roles; undefined where one is. */
export const lowerRole = (a: ProjectRole | undefined, b: ProjectRole | undefined): ProjectRole | undefined =>
  rankOf(a) < rankOf(b) ? a : b

/**
 * The person that a token stands for: who holds its secret because they made or rotated it, and so on; itself where nobody is known. Of two tokens that
 * rotated each other, one stands for both.
 */
export function personOf(id: string, holders: ReadonlyMap<string, string>): string {
  const path: string[] = []
  let current = id
  while (!path.includes(current)) {
    path.push(current)
    const holder = holders.get(current)
    if (holder === undefined) return current
    current = holder
  }
  return path.slice(path.indexOf(current)).toSorted()[0] ?? id
}
