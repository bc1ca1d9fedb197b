// How tenants' limits are divided among gateways. Each gateway holds a grant: its share of every tenant's limits for some time from when it
// requested it. A share is given to another gateway only when its holder has confirmed a smaller grant, or when the grant has expired, so
// the shares in force never add up to more than the limits, whatever messages are lost, doubled or late.
//
// A gateway that is cut off keeps its share until the grant expires, and then a fallback, half of an equal share, until it is back. That
// half stays reserved for it until it counts as gone. To admit nothing then would turn an outage of the control plane into one of the
// service; to go on with the whole share would withhold the share of a gateway that died from the others.

import { WHOLE_SHARE } from '@ironlaw/contracts'
import type { DatedGrant, GatewayQuota, QuotaGrant, QuotaLedger, QuotaReport } from '@ironlaw/contracts/gateway-quota'
import { maxMinShares } from './max-min-shares.ts'

export type QuotaRule = {
  readonly lasts_s: number
  /** What clocks may differ by, and what a message may take. */
  readonly margin_s: number
  readonly fresh_s: number
  readonly gone_s: number
}

export const QUOTA_RULE: QuotaRule = {
  // Longer than a restart of the control plane or a failover of its database.
  lasts_s: 90,
  margin_s: 30,
  // As long as a gateway counts as connected elsewhere.
  fresh_s: 10,
  gone_s: 900,
}

/** Of an equal share. */
const FALLBACK = 0.5
/** Room to grow before the next report, over what was requested lately. */
const HEADROOM = 1.25
/** Answers that may be lost in a row; after that the gateway waits until the oldest of its grants expires. */
const MOST_UNCONFIRMED = 8

type Sync = { readonly id: string; readonly report: QuotaReport; readonly now: number }

/** The ledger after a report, and the grant that answers it; none where the report is of a process that another has replaced. */
export function grantQuota(
  ledger: QuotaLedger,
  { id, report, now }: Sync,
  rule: QuotaRule = QUOTA_RULE,
): { readonly ledger: QuotaLedger; readonly grant: QuotaGrant | undefined } {
  const known = Object.hasOwn(ledger, id) ? ledger[id] : undefined
  if (known && isReplaced(report, known, { now, rule })) return { ledger, grant: undefined }
  const others = new Map(Object.entries(ledger).filter(([name, gateway]) => name !== id && !isGone(gateway, { now, rule })))
  if (report.leaving) return { ledger: Object.fromEntries(others), grant: undefined }
  const confirmed = known?.boot === report.boot ? confirmedGrants(known, report.applied, { now, rule }) : []
  const { boot, started_at, demand } = report
  const mine: GatewayQuota = { boot, started_at, demand, seen_at: now, grants: confirmed }
  const content = fairGrant(mine, [...others.values()], { now, rule })
  const grants = withGrant(mine, content, { now, applied: report.applied })
  const after = Object.fromEntries([...others, [id, { ...mine, grants: grants ?? confirmed }]])
  const newest = grants?.at(-1)
  return { ledger: after, grant: newest && withoutDate(newest) }
}

const withoutDate = ({ number, share, tenants, fallback }: DatedGrant): QuotaGrant => ({ number, share, tenants, fallback })

type Moment = { readonly now: number; readonly rule: QuotaRule }

/** A message of the process before, that came late. */
const isReplaced = (report: QuotaReport, known: GatewayQuota, { now, rule }: Moment): boolean =>
  report.boot !== known.boot && report.started_at <= known.started_at && now - known.seen_at < rule.fresh_s

const isGone = ({ seen_at }: GatewayQuota, { now, rule }: Moment): boolean => now - seen_at > rule.gone_s

const isExpired = ({ at }: DatedGrant, { now, rule }: Moment): boolean => now - at > rule.lasts_s + rule.margin_s

/** Those that may still be used: what came before the confirmed one is not. Of those that expired only the fallback counts. */
function confirmedGrants({ grants }: GatewayQuota, applied: number, moment: Moment): readonly DatedGrant[] {
  // A number that was never given out: the ledger was restored to an earlier state, and says nothing about this gateway.
  if (applied > (grants.at(-1)?.number ?? 0)) return []
  const usable = grants.filter(({ number }) => number >= applied)
  const expired = usable.filter((grant) => isExpired(grant, moment))
  const last = expired.at(-1)
  if (!last) return usable
  const fallback = Math.max(...expired.map((grant) => grant.fallback))
  return [{ number: last.number, at: last.at, share: fallback, fallback, tenants: {} }, ...usable.slice(expired.length)]
}

type GrantContent = Omit<QuotaGrant, 'number'>

/** What this gateway should have, as far as the others leave it free. */
function fairGrant(mine: GatewayQuota, others: readonly GatewayQuota[], moment: Moment): GrantContent {
  const live = [mine, ...others.filter(({ seen_at }) => moment.now - seen_at <= moment.rule.fresh_s)]
  const silent = others.filter((gateway) => !live.includes(gateway))
  const availableShare = (tenant: string | undefined): number => {
    const reserved = silent.reduce((sum, gateway) => sum + committedShare(gateway, tenant, moment), 0)
    const free = others.reduce((left, gateway) => left - committedShare(gateway, tenant, moment), WHOLE_SHARE)
    return Math.max(0, Math.min(fairShare(live, tenant, WHOLE_SHARE - reserved), free))
  }
  const share = availableShare(undefined)
  const named = new Set(
    [mine, ...others].flatMap(({ demand, grants }) => [...keysOf(demand), ...grants.flatMap(({ tenants }) => keysOf(tenants))]),
  )
  const tenants: [string, number][] = []
  for (const tenant of named) {
    const own = availableShare(tenant)
    const isDemanded = live.some(({ demand }) => demandOf(demand, tenant) > 0)
    if (isDemanded || own < share) tenants.push([tenant, own])
  }
  return { share, tenants: Object.fromEntries(tenants), fallback: Math.floor((FALLBACK * WHOLE_SHARE) / (1 + others.length)) }
}

const keysOf = (record: Readonly<Record<string, number>>): readonly string[] => Object.keys(record)

const demandOf = (demand: Readonly<Record<string, number>>, tenant: string): number =>
  Object.hasOwn(demand, tenant) ? (demand[tenant] ?? 0) : 0

/** The most that a gateway may be using of a tenant's limits; of a tenant that no grant names where undefined. */
function committedShare({ grants }: GatewayQuota, tenant: string | undefined, moment: Moment): number {
  return grants.reduce((most, grant) => {
    const share = shareIn(grant, tenant)
    return Math.max(most, isExpired(grant, moment) ? Math.min(share, grant.fallback) : share)
  }, 0)
}

export const shareIn = ({ share, tenants }: Pick<QuotaGrant, 'share' | 'tenants'>, tenant: string | undefined): number =>
  tenant !== undefined && Object.hasOwn(tenants, tenant) ? (tenants[tenant] ?? share) : share

/** Max-min by what was requested, and the unrequested rest in equal parts; of the first of `live`. */
function fairShare(live: readonly GatewayQuota[], tenant: string | undefined, capacity: number): number {
  const wants = live.map(({ demand }) => ({ wants: tenant === undefined ? 0 : HEADROOM * demandOf(demand, tenant), weight: 1 }))
  const shares = maxMinShares(wants, Math.max(0, capacity))
  const left = Math.max(0, capacity) - shares.reduce((sum, share) => sum + share, 0)
  return Math.floor((shares[0] ?? 0) + left / live.length)
}

/** Undefined where too many grants are unconfirmed already. */
function withGrant(
  { grants }: GatewayQuota,
  content: GrantContent,
  { now, applied }: { readonly now: number; readonly applied: number },
): readonly DatedGrant[] | undefined {
  const newest = grants.at(-1)
  if (newest && isSame(newest, content)) return [...grants.slice(0, -1), { ...newest, at: now }]
  if (grants.length >= MOST_UNCONFIRMED) return undefined
  return [...grants, { ...content, number: Math.max(newest?.number ?? 0, applied) + 1, at: now }]
}

function isSame(one: GrantContent, other: GrantContent): boolean {
  const names = keysOf(one.tenants)
  return (
    one.share === other.share &&
    one.fallback === other.fallback &&
    names.length === keysOf(other.tenants).length &&
    names.every((name) => Object.hasOwn(other.tenants, name) && one.tenants[name] === other.tenants[name])
  )
}
