// What happens to a request before a replica sees it: its tenant's quota, admission, a fair wait. The rules are the gateway's own.

import {
  admissionDecision,
  FairQueue,
  finishRateAfter,
  observeFor_s,
  type QueueTicket,
  type QuotaUse,
  settleQuota,
  takeQuota,
  unusedQuota,
} from '@ironlaw/policies/serving'
import type { ClusterRule, TenantRule } from './cluster-rule.ts'
import type { RequestTable } from './request-table.ts'

export type AdmissionVerdict = 'start' | 'queue' | 'quota' | 'queue-full' | 'tokens-full' | 'deadline'

const EQUAL: TenantRule = { weight: 1, priority: 0 }

export class SimulatedGateway {
  queuedTokens = 0
  private readonly rule: ClusterRule
  private readonly table: RequestTable
  private readonly queue = new FairQueue<number>()
  private readonly places: QueueTicket[]
  private readonly uses: (QuotaUse | undefined)[]
  private running = 0
  private rate = 0
  private rateAt = 0
  private finished = 0

  constructor(rule: ClusterRule, table: RequestTable) {
    this.rule = rule
    this.table = table
    const tenants = rule.tenants ?? [EQUAL]
    this.places = tenants.map(({ weight, priority }, tenant) => ({ tenant: String(tenant), weight, priority: -priority }))
    this.uses = tenants.map(({ quota }) => quota && unusedQuota(quota, 0))
  }

  get queued(): number {
    return this.queue.length
  }

  offer(
    slot: number,
    { now, replicas, service_s }: { readonly now: number; readonly replicas: number; readonly service_s: number },
  ): AdmissionVerdict {
    const { table, rule } = this
    const tokens = this.tokensOf(slot)
    const tenant = table.tenant[slot]!
    const quota = rule.tenants?.[tenant]?.quota
    const use = this.uses[tenant]
    if (rule.tenants) table.priority[slot] = rule.tenants[tenant]?.priority ?? 0
    if (quota && use && !takeQuota(use, quota, { tokens, now }).ok) return 'quota'
    const limits = rule.admission
    if (!limits) return this.start()
    this.observe(now)
    const seen = {
      running: this.running,
      maxRunning: limits.maxRunningPerReplica * replicas,
      queued: this.queue.length,
      maxQueued: limits.maxQueued,
      queuedTokens: this.queuedTokens,
      maxQueuedTokens: limits.maxQueuedTokens,
      tokensPerSecond: replicas === 0 ? 0 : this.rate,
    }
    const verdict = admissionDecision(seen, { tokens, service_s, deadline_s: limits.deadline_s, priority: -table.priority[slot]! })
    if (verdict.do === 'start') return this.start()
    if (verdict.do === 'shed') {
      if (use) settleQuota(use, { taken: tokens, used: 0 })
      return verdict.why
    }
    this.queue.push(slot, this.placeOf(slot))
    this.queuedTokens += tokens
    return 'queue'
  }

  /** Who goes next, when the replicas have room. */
  next(replicas: number): number | undefined {
    const limits = this.rule.admission
    if (!limits || this.queue.length === 0 || this.running >= limits.maxRunningPerReplica * replicas) return undefined
    const slot = this.queue.shift()
    if (slot === undefined) return undefined
    const tokens = this.tokensOf(slot)
    this.queue.charge(this.placeOf(slot), tokens)
    this.queuedTokens -= tokens
    this.running += 1
    return slot
  }

  end(slot: number, now: number): void {
    this.running -= 1
    const tokens = this.tokensOf(slot)
    const use = this.uses[this.table.tenant[slot]!]
    if (use) settleQuota(use, { taken: tokens, used: tokens })
    if (!this.rule.admission) return
    this.finished += tokens
    this.observe(now)
  }

  private observe(now: number): void {
    const elapsed_s = now - this.rateAt
    const isWaiting = this.queue.length > 0
    if (elapsed_s < observeFor_s(this.rate, isWaiting)) return
    this.rate = finishRateAfter(this.rate, { finished: this.finished, elapsed_s, isWaiting })
    this.finished = 0
    this.rateAt = now
  }

  private start(): AdmissionVerdict {
    this.running += 1
    return 'start'
  }

  private tokensOf(slot: number): number {
    return this.table.prompt[slot]! + this.table.output[slot]!
  }

  private placeOf(slot: number): QueueTicket {
    return this.places[this.table.tenant[slot]!] ?? { tenant: '', weight: 1, priority: 0 }
  }
}
