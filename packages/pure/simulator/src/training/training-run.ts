// One run from its first allocation to its end, event by event: training between checkpoints, failures, and the way back from each.

import { timeToCheckpoint } from '@ironlaw/policies'
import type { EventQueue } from '../kernel/event-queue.ts'
import { RandomStream } from '../kernel/random-stream.ts'
import { type Campaign, type Survival, unitsOf } from './campaign.ts'
import { CheckpointStore } from './checkpoint-store.ts'
import { Corruption } from './corruption.ts'
import { EVENT, STREAM } from './events.ts'
import { CampaignFleet } from './fleet.ts'
import { LEDGER_INDEX, TRIAL_CAUSES, MICROSECONDS, ticks } from './ledger.ts'
import { cycleOf, type Pace, spentTime, type SpentTime, timeFor } from './pace.ts'
import { type Phase, PHASES } from './phase.ts'
import type { TrialDraw, Trial } from './trial.ts'
import { Strikes } from './strikes.ts'

/** Simulates one replica; `queue` is working memory. */
export const trainingRun = (campaign: Campaign, draw: TrialDraw, queue: EventQueue): Trial => new TrainingRun(campaign, draw, queue).run()

class TrainingRun {
  private readonly campaign: Campaign
  private readonly queue: EventQueue
  private readonly strikes: readonly Strikes[]
  private readonly slowNodes: Strikes | undefined
  private readonly repairs: RandomStream
  private readonly straggling: RandomStream
  private readonly silence: RandomStream
  private readonly store: CheckpointStore
  private readonly fleet: CampaignFleet
  private readonly corruption = new Corruption()
  private readonly ledger = new Float64Array(TRIAL_CAUSES.length)
  private readonly failures: number[]
  private readonly goal: number
  private readonly end: number

  private now = 0
  private phase: Phase = 'queue'
  /** A phase that was left takes no notice of its end. */
  private phaseTag = 0
  /** Writes begun before the last stop do not commit. */
  private life = 0
  private work = 0
  /** Work at which the next checkpoint is due, or the run ends. */
  private target = 0
  private slow = 0
  private checkpoints = 0
  private planned: 'maintenance' | 'regrow' | undefined
  private stopped = false
  /** For a write under way, before the next checkpoint can begin. */
  private waiting = false
  private interruptions = 0
  private plannedStops = 0

  constructor(campaign: Campaign, { seed, replica }: TrialDraw, queue: EventQueue) {
    const stream = (name: number): RandomStream => new RandomStream([seed, replica, name])
    this.campaign = campaign
    this.queue = queue
    this.strikes = campaign.components.map(
      (component, index) => new Strikes({ ...component, units: unitsOf(campaign, component.scope) }, stream(index)),
    )
    if (campaign.stragglers)
      this.slowNodes = new Strikes({ units: campaign.nodes, mtbf_s: campaign.stragglers.mtbf_s }, stream(STREAM.straggler))
    this.repairs = stream(STREAM.repair)
    this.straggling = stream(STREAM.straggling)
    this.silence = stream(STREAM.silent)
    this.store = new CheckpointStore(campaign.checkpointing.tiers)
    this.fleet = new CampaignFleet(campaign)
    this.failures = campaign.components.map(() => 0)
    this.goal = campaign.work_s === Infinity ? Infinity : ticks(campaign.work_s)
    this.end = ticks(campaign.window_s)
  }

  run(): Trial {
    const { queue, end } = this
    queue.clear()
    this.strikes.forEach((_, component) => this.scheduleStrike(component))
    this.scheduleSlow()
    this.scheduleMaintenance()
    this.enter('queue', ticks(this.campaign.queue_s ?? 0))
    let trace = 0
    let events = 0
    while (this.work < this.goal && queue.take()) {
      if (queue.time >= end) break
      events += 1
      trace = Math.imul(trace ^ queue.time ^ (queue.kind << 24) ^ queue.entity, 0x01000193)
      this.advance(queue.time)
      this.handle(queue.kind, queue.entity, queue.tag)
    }
    const finished = this.work >= this.goal
    if (!finished) this.advance(end)
    if (this.stopped) this.rollBack()
    const { interruptions, plannedStops, failures, ledger } = this
    return { wall: this.now, ledger, finished, interruptions, plannedStops, failures, events, trace }
  }

  private handle(kind: number, entity: number, tag: number): void {
    switch (kind) {
      case EVENT.strike:
        this.scheduleStrike(entity)
        if (this.strikes[entity]?.isVoid(tag) === false) this.strike(entity, tag)
        break
      case EVENT.renewed:
        this.strike(entity, tag)
        break
      case EVENT.kill:
        this.fail(entity, tag)
        break
      case EVENT.found:
        if (tag === this.corruption.tag) this.detectCorruption(entity)
        break
      case EVENT.phase:
        if (tag === this.phaseTag) this.endPhase()
        break
      case EVENT.commit:
        if (tag === this.life) this.commitTier(entity)
        break
      case EVENT.repaired:
        this.returnRepaired(entity)
        break
      case EVENT.slow:
        this.scheduleSlow()
        this.slow += 1
        this.schedule(this.straggling.exponential() * ticks(this.campaign.stragglers?.lasts_s ?? 0), EVENT.fast)
        this.rescheduleSegment()
        break
      case EVENT.fast:
        this.slow -= 1
        this.rescheduleSegment()
        break
      default:
        this.scheduleMaintenance()
        this.planned = 'maintenance'
        if (this.phase === 'train') this.beginCheckpoint()
    }
  }

  // Time

  private advance(to: number): void {
    const passed = to - this.now
    if (passed === 0) return
    this.now = to
    const { ledger } = this
    if (this.phase !== 'train') {
      ledger[PHASES[this.phase].spentOn]! += passed
      return
    }
    this.add(spentTime(passed, this.pace(this.store.busy), this.target - this.work))
  }

  private add({ done, smaller, straggler, contention }: SpentTime, times = 1): void {
    const { ledger } = this
    ledger[LEDGER_INDEX.useful]! += times * done
    ledger[LEDGER_INDEX.smaller]! += times * smaller
    ledger[LEDGER_INDEX.straggler]! += times * straggler
    ledger[LEDGER_INDEX.contention]! += times * contention
    this.work += times * done
  }

  private pace(writing: boolean): Pace {
    const { stragglers, checkpointing } = this.campaign
    return {
      size: this.fleet.size,
      evenness: this.slow === 0 ? 1 : 1 - (stragglers?.slowdown ?? 0),
      alone: writing ? 1 - checkpointing.slowdown : 1,
    }
  }

  private schedule(delay: number, kind: number, { entity = 0, tag = 0 }: { readonly entity?: number; readonly tag?: number } = {}): void {
    const at = this.now + Math.max(0, Math.round(delay))
    if (at < this.end) this.queue.push(at, kind, { entity, tag })
  }

  private enter(phase: Exclude<Phase, 'train'>, duration: number): void {
    this.phase = phase
    this.phaseTag += 1
    if (duration === 0) this.endPhase()
    else if (duration !== Infinity) this.schedule(duration, EVENT.phase, { tag: this.phaseTag })
  }

  private endPhase(): void {
    const { recovery, maintenance } = this.campaign
    switch (this.phase) {
      case 'train':
        if (this.work < this.goal) this.beginCheckpoint()
        break
      case 'pause':
        this.snapshot()
        if (this.planned === undefined) this.train()
        else this.stopAsPlanned(ticks(maintenance?.lasts_s ?? 0))
        break
      case 'swap':
        if (this.fleet.ready) this.enter('restart', ticks(recovery.restart_s))
        else this.gather()
        break
      case 'restart':
        this.enter('load', this.rollBack())
        break
      case 'load':
        this.enter('warm-up', ticks(recovery.warmup_s))
        break
      case 'warm-up':
        this.train()
        break
      case 'queue':
      case 'detect':
      case 'wait':
      case 'maintenance':
        this.gather()
    }
  }

  // Training and checkpoints

  private train(): void {
    if (this.planned !== undefined) {
      this.beginCheckpoint()
      return
    }
    this.phase = 'train'
    this.target = Math.min(this.goal, this.work + this.segment())
    this.rescheduleSegment()
  }

  /** Work until the next checkpoint. */
  private segment(): number {
    const { rule, pause_s } = this.campaign.checkpointing
    const { interruptions } = this
    const due = timeToCheckpoint(rule, { elapsed_s: this.now / MICROSECONDS, interruptions, pause_s })
    return Math.max(1, Math.round(ticks(due) * this.fleet.size))
  }

  /** The end of the segment at the present speed. */
  private rescheduleSegment(): void {
    if (this.phase !== 'train') return
    this.phaseTag += 1
    const left = timeFor(this.target - this.work, this.pace(this.store.busy))
    // The end of a write comes first and asks again.
    if (this.now + left <= this.store.nextCommit) this.schedule(left, EVENT.phase, { tag: this.phaseTag })
  }

  /** Training stands still, after writes that are still under way to the same tiers. */
  private beginCheckpoint(): void {
    const { tiers, pause_s } = this.campaign.checkpointing
    if (tiers.some((_, tier) => this.isDueIn(tier) && this.store.isWriting(tier))) {
      this.phase = 'pause'
      this.phaseTag += 1
      this.waiting = true
      return
    }
    this.waiting = false
    const write_s = this.planned === undefined ? 0 : (tiers.at(-1)?.write_s ?? 0)
    this.enter('pause', ticks(pause_s + write_s))
  }
  private isDueIn(tier: number): boolean {
    const { tiers } = this.campaign.checkpointing
    return this.planned === undefined ? (this.checkpoints + 1) % (tiers[tier]?.every ?? 1) === 0 : tier === tiers.length - 1
  }

  /** The pause is over: tiers without a background write are committed, the others begin theirs. */
  private snapshot(): void {
    const { tiers } = this.campaign.checkpointing
    if (this.planned === undefined) this.skipAlike()
    const { life, store, work } = this
    tiers.forEach(({ write_s }, tier) => {
      if (!this.isDueIn(tier)) return
      store.begin(tier, work, this.now + ticks(write_s))
      if (write_s === 0 || this.planned !== undefined) store.commit(tier)
      else this.schedule(ticks(write_s), EVENT.commit, { entity: tier, tag: life })
    })
    this.checkpoints += 1
  }

  /** With nothing due before many more checkpoints like this one, they are counted and not simulated. */
  private skipAlike(): void {
    const { tiers, rule, pause_s } = this.campaign.checkpointing
    if (tiers.length > 1 || tiers[0].every !== 1 || rule.kind !== 'every') return
    const steps = { segment: this.segment(), write: ticks(tiers[0].write_s), pause: ticks(pause_s) }
    const cycle = cycleOf(steps, this.pace(steps.write > 0))
    if (!cycle) return
    const room = Math.min(this.queue.nextTime, this.end) - this.now - 1
    const times = Math.min(Math.floor(room / cycle.duration), Math.ceil((this.goal - this.work) / steps.segment) - 1)
    if (times < 1) return
    this.store.commitAlike(this.work, steps.segment, times)
    this.add(cycle, times)
    this.ledger[PHASES.pause.spentOn]! += times * steps.pause
    this.now += times * cycle.duration
    this.checkpoints += times
  }

  private commitTier(tier: number): void {
    this.store.commit(tier)
    if (this.waiting) this.beginCheckpoint()
    else this.rescheduleSegment()
  }

  private stopAsPlanned(maintenance: number): void {
    const reason = this.planned
    this.planned = undefined
    this.plannedStops += 1
    this.stop('process')
    if (reason === 'maintenance') this.enter('maintenance', maintenance)
    else this.gather()
  }

  // Failures

  private scheduleStrike(component: number): void {
    const strikes = this.strikes[component]
    const at = strikes?.next(this.now) ?? Infinity
    if (at < this.end) this.queue.push(at, EVENT.strike, { entity: component, tag: strikes?.unit ?? 0 })
  }

  private scheduleSlow(): void {
    const at = this.slowNodes?.next(this.now) ?? Infinity
    if (at < this.end) this.queue.push(at, EVENT.slow, { entity: 0, tag: 0 })
  }

  private scheduleMaintenance(): void {
    if (this.campaign.maintenance) this.schedule(ticks(this.campaign.maintenance.every_s), EVENT.maintenance)
  }

  private strike(index: number, unit: number): void {
    const component = this.campaign.components[index]
    if (!component || (component.scope !== 'job' && this.fleet.nodesHit(component.scope, unit) === 0)) return
    this.failures[index]! += 1
    if (component.silent) {
      this.corruption.strike(this.work)
      this.schedule(this.silence.exponential() * ticks(component.detect_s), EVENT.found, { entity: index, tag: this.corruption.tag })
    } else if (component.notice_s === undefined) this.fail(index, unit)
    else {
      this.schedule(ticks(component.notice_s), EVENT.kill, { entity: index, tag: unit })
      if (this.phase === 'train') this.beginCheckpoint()
    }
  }

  private fail(index: number, unit: number): void {
    const component = this.campaign.components[index]
    if (!component) return
    const { scope, repair_s, detect_s, silent } = component
    const nodes = repair_s > 0 ? this.fleet.nodesHit(component.scope, unit) : 0
    if (nodes > 0) {
      this.fleet.missing += nodes
      this.schedule(this.repairs.exponential() * ticks(repair_s), EVENT.repaired, { entity: nodes })
      this.renew(index, unit)
    }
    const damage = nodes === 0 ? 'process' : scope === 'rack' || scope === 'switch' ? 'everything' : 'node'
    if (PHASES[this.phase].up) {
      this.interruptions += 1
      this.stop(damage)
      this.enter('detect', silent ? 0 : ticks(detect_s))
    } else this.store.lose(damage)
  }

  private renew(index: number, unit: number): void {
    const at = this.strikes[index]?.renew(unit, this.now) ?? Infinity
    if (at < this.end) this.queue.push(at, EVENT.renewed, { entity: index, tag: unit })
  }

  private detectCorruption(index: number): void {
    this.corruption.markFound()
    // Which node it was is as good as any: the silent one among those in place.
    this.fail(index, this.silence.below(unitsOf(this.campaign, this.campaign.components[index]?.scope ?? 'node')))
  }

  private stop(damage: Survival): void {
    this.life += 1
    this.waiting = false
    this.stopped = true
    this.store.lose(damage)
  }

  // The way back

  private gather(): void {
    const decided = this.fleet.gather()
    if (decided === 'wait') this.enter('wait', Infinity)
    else this.enter('swap', decided === 'restart' ? 0 : ticks(this.campaign.recovery.swap_s))
  }

  private returnRepaired(nodes: number): void {
    this.fleet.addRepaired(nodes)
    if (this.phase === 'wait') this.gather()
    else if (this.planned === undefined && this.fleet.canGrow) this.planned = 'regrow'
  }

  /** Work since the restored checkpoint turns from useful into lost; gives the time to load. */
  private rollBack(): number {
    const { work, tier } = this.store.restore(this.corruption.trusted)
    const lost = this.work - work
    this.ledger[LEDGER_INDEX.useful]! -= lost
    this.ledger[LEDGER_INDEX.lost]! += lost
    this.work = work
    this.stopped = false
    this.corruption.restore(work)
    return work === 0 ? 0 : ticks(this.campaign.checkpointing.tiers[tier]?.load_s ?? 0)
  }
}
