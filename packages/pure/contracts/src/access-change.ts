// What a new access document changes, for the audit trail and for a user who was about to overwrite it: keys by the first digits of their
// hash, tenants, budgets, models and pools by name.

import type { GatewayConfig } from './gateway-snapshot.ts'

type NameChanges = { readonly added?: readonly string[]; readonly removed?: readonly string[]; readonly changed?: readonly string[] }

type BudgetChange = { readonly tenant: string; readonly from: string | null; readonly to: string | null }

export type AccessChange = {
  readonly keys?: NameChanges
  readonly tenants?: NameChanges
  readonly budgets?: readonly BudgetChange[]
  readonly models?: NameChanges
  readonly pools?: NameChanges
  readonly limits?: 'changed'
  /** How many more changes there are than the event lists. */
  readonly more?: number
}

/** Long enough that two keys of a million rarely share it (one pair in 560 such documents), short enough to read. */
const SHORT_HASH = 12

/** An event is read by people: a document that changes more says how many more. */
const MOST_NAMES = 200

export function accessChange(before: GatewayConfig, after: GatewayConfig): AccessChange {
  const keys = differences(byHash(before), byHash(after))
  const tenants = differences(new Map(Object.entries(before.tenants)), new Map(Object.entries(after.tenants)))
  const models = differences(new Map(Object.entries(before.models)), new Map(Object.entries(after.models)))
  const pools = differences(new Map(Object.entries(before.pools)), new Map(Object.entries(after.pools)))
  const budgets = budgetChanges(before, after)
  const left = [keys, tenants, models, pools].reduce((sum, each) => sum + each.more, Math.max(0, budgets.length - MOST_NAMES))
  return {
    ...(keys.names && { keys: keys.names }),
    ...(tenants.names && { tenants: tenants.names }),
    ...(budgets.length > 0 && { budgets: budgets.slice(0, MOST_NAMES) }),
    ...(models.names && { models: models.names }),
    ...(pools.names && { pools: pools.names }),
    ...(JSON.stringify(before.limits) !== JSON.stringify(after.limits) && { limits: 'changed' as const }),
    ...(left > 0 && { more: left }),
  }
}

const byHash = ({ keys }: GatewayConfig): ReadonlyMap<string, unknown> => new Map(keys.map((key) => [key.sha256, key]))

/** Only hashes of keys are this long and of these digits. */
const shortName = (name: string): string => (/^[0-9a-f]{64}$/.test(name) ? name.slice(0, SHORT_HASH) : name)

type Differences = { readonly names: NameChanges | undefined; readonly more: number }

function differences(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Differences {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after].flatMap(([name, value]) =>
    before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(value) ? [name] : [],
  )
  const count = added.length + removed.length + changed.length
  const some = (names: readonly string[]) => names.slice(0, MOST_NAMES).map(shortName)
  const shown = some(added).length + some(removed).length + some(changed).length
  const names = {
    ...(added.length > 0 && { added: some(added) }),
    ...(removed.length > 0 && { removed: some(removed) }),
    ...(changed.length > 0 && { changed: some(changed) }),
  }
  return { names: count === 0 ? undefined : names, more: count - shown }
}

function budgetChanges(before: GatewayConfig, after: GatewayConfig): readonly BudgetChange[] {
  const tenants = new Set([...Object.keys(before.tenants), ...Object.keys(after.tenants)])
  return [...tenants].flatMap((tenant) => {
    const from = before.tenants[tenant]?.budget ?? null
    const to = after.tenants[tenant]?.budget ?? null
    return from === to ? [] : [{ tenant, from, to }]
  })
}

/** One sentence: what a change did. */
export function accessChangeText(change: AccessChange): string {
  const list = (what: string, { added, removed, changed }: NameChanges = {}): readonly string[] => [
    ...(added ? [`${what} added: ${added.join(' ')}`] : []),
    ...(removed ? [`${what} removed: ${removed.join(' ')}`] : []),
    ...(changed ? [`${what} changed: ${changed.join(' ')}`] : []),
  ]
  const { budgets = [], limits, more } = change
  const parts = [
    ...list('keys', change.keys),
    ...list('tenants', change.tenants),
    ...budgets.map(({ tenant, from, to }) => `budget of ${tenant}: ${from ?? 'none'} to ${to ?? 'none'}`),
    ...list('models', change.models),
    ...list('pools', change.pools),
    ...(limits ? ['limits changed'] : []),
    ...(more === undefined ? [] : [`${more} more`]),
  ]
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}
