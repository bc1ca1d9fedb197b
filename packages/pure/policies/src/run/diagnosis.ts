// Whether the current attempt is dead, hung or sick, and on what evidence. A death needs two independent sources: an agent's
// report of an exit, the executor, an agent's silence, failures that agents of two nodes saw, the end of every rank, or a standstill
// of the steps. Silence counts only while something proves that we can see: another node of the same job, or the executor naming that
// node. All sources but the executor belong to the run itself: they may end its own attempt, but can only suspect its own
// nodes. `confirmed` are the suspects that the executor agrees about (drain-policy.ts).

import { type Attempt, type EndReason, slotsPerNode } from '@ironlaw/contracts'
import { EXIT_STATUS, EXITS_KEPT } from '@ironlaw/contracts/report'
import { placedNodes } from './believed.ts'
import { isEquipped, kindsToTry } from './devices.ts'
import type { RunLimits } from './limits.ts'
import type { ObservedExit, ObservedNode, Observation, ObservedRank } from './observation.ts'

export type Source = 'exit-report' | 'executor' | 'silence' | 'peers' | 'standstill' | 'steps' | 'every-rank' | 'readings'

export type Diagnosis = {
  readonly cause: EndReason
  readonly detail: string
  readonly sources: readonly Source[]
  /** Nodes the next attempt should not use. */
  readonly suspects: readonly string[]
  /** Those of them that the executor says are down or do not answer. */
  readonly confirmed?: readonly string[]
  readonly resumeBefore?: number
}

export function diagnosis(seen: Observation, attempt: Attempt, limits: RunLimits): Diagnosis | undefined {
  const found =
    deathDiagnosis(seen, attempt, limits) ?? (seen.isJob ? undefined : (hangDiagnosis(seen, attempt, limits) ?? stepDiagnosis(seen)))
  if (!found || found.suspects.length === 0) return found
  const placed = placedNodes(attempt, seen.job) ?? []
  const suspects = found.suspects.filter((node) => placed.includes(node))
  return { ...found, suspects, confirmed: suspects.filter((node) => executorDoubts(seen, node)) }
}

/** By its own list of nodes: a member missing from the job only means that the agent named a node which the run does not have. */
function executorDoubts({ capacity = [] }: Observation, node: string): boolean {
  return capacity.some(({ name, state }) => name === node && (state === 'unresponsive' || state === 'down'))
}

function deathDiagnosis(told: Observation, attempt: Attempt, limits: RunLimits): Diagnosis | undefined {
  const seen = { ...told, exits: knownExits(told.exits) }
  const silent = silentNodes(seen, limits)
  const isPlain = seen.isJob === true && hasNotJoined(seen, attempt)
  const failures = seen.exits.filter((exit) => hasFailed(exit) || (isPlain && exit.code === EXIT_STATUS.preempted))
  const sources = new Set<Source>()
  if (failures.length > 0) sources.add('exit-report')
  if (new Set(failures.map(({ witness, node }) => witness ?? node)).size > 1) sources.add('peers')
  if (silent.length > 0 && canSee(seen, silent, limits)) sources.add('silence')
  if (executorSaysDead(seen, silent)) sources.add('executor')
  if (failures.length > 0 && everyRankEnded(seen, attempt)) sources.add('every-rank')
  if (silent.length > 0 && isStandingStill(seen, attempt, limits)) sources.add('standstill')
  // Every rank ended by itself and none failed: nothing is left that could continue or report otherwise.
  if (failures.length === 0 && everyRankEnded(seen, attempt)) return earlyEndDiagnosis(seen)
  const isOver = seen.job.state === 'ended' || seen.job.state === 'absent'
  const orphaned = isOver && seen.state === 'recovering' && seen.now - seen.stateSince > limits.orphan_s
  if (sources.size < 2 && !orphaned) return undefined
  if (isMissingEverywhere(seen)) return cannotStartDiagnosis(seen, [...sources])
  const final = failures.find(({ code, killed }) => code === EXIT_STATUS.final && killed !== true)
  if (final) return cannotSucceedDiagnosis(final, [...sources])
  if (failures.length === 0 && seen.exits.some((exit) => exit.code === EXIT_STATUS.preempted))
    return { cause: 'preempted', detail: 'stopped after a checkpoint, as asked', sources: [...sources], suspects: [] }
  return { ...likelyCause(seen, failures, silent), sources: [...sources] }
}

const earlyEndDiagnosis = ({ exits }: Observation): Diagnosis =>
  exits.some(({ code }) => code === EXIT_STATUS.preempted)
    ? { cause: 'preempted', detail: 'stopped after a checkpoint, as asked', sources: ['every-rank'], suspects: [] }
    : { cause: 'job-ended', detail: 'every rank exited before the program had finished', sources: ['every-rank'], suspects: [] }

/** No node that has answered has the program: trying again would not help. Where one of them started it, another may lack it alone. */
function isMissingEverywhere({ exits }: Observation): boolean {
  const ended = exits.filter((exit) => !hasVanished(exit))
  return ended.length > 0 && ended.every(({ started }) => started === false)
}

const cannotStartDiagnosis = ({ exits }: Observation, sources: readonly Source[]): Diagnosis => ({
  cause: 'cannot-start',
  detail: exits.find(({ words }) => words)?.words ?? 'the program does not exist on the nodes',
  sources,
  suspects: [],
})

/** Its own word outweighs what else was seen: nodes that fell silent at the same time do not make the next attempt any better. */
const cannotSucceedDiagnosis = ({ rank, node, words }: ObservedExit, sources: readonly Source[]): Diagnosis => ({
  cause: 'cannot-succeed',
  detail: `rank ${rank} on ${node}: ${words ?? `exited with ${EXIT_STATUS.final}`}`,
  sources,
  suspects: [],
})

/** An agent that could not reach a rank's node reports it as vanished; the rank's own agent, which saw it end, takes precedence. */
function knownExits(exits: readonly ObservedExit[]): readonly ObservedExit[] {
  const ended = new Set(exits.filter((exit) => !hasVanished(exit)).map(({ rank }) => rank))
  return exits.filter((exit) => !hasVanished(exit) || !ended.has(exit.rank))
}

const hasVanished = ({ code, signal }: ObservedExit): boolean => code === null && signal === null

const hasFailed = ({ signal, code }: ObservedExit): boolean => signal !== null || (code !== 0 && code !== EXIT_STATUS.preempted)

/** Each end was seen by the parent of that rank, on every node: nothing of the attempt is left. */
function everyRankEnded({ exits, shape }: Observation, { nodes }: Attempt): boolean {
  return new Set(exits.map((exit) => exit.rank)).size >= Math.min(EXITS_KEPT, nodes * shape.processesPerNode)
}

function silentNodes(seen: Observation, limits: RunLimits): readonly ObservedNode[] {
  return seen.nodes.filter((node) => seen.now - node.receivedAt > limits.silence_s)
}

function canSee(seen: Observation, silent: readonly ObservedNode[], limits: RunLimits): boolean {
  const othersSpeak = seen.nodes.some((node) => seen.now - node.receivedAt <= limits.silence_s)
  const { job } = seen
  const gone = job.state === 'ending' || job.state === 'ended' || job.state === 'absent'
  return othersSpeak || gone || (job.state === 'running' && silent.some(({ node }) => job.unresponsive.includes(node)))
}

function executorSaysDead({ job }: Observation, silent: readonly ObservedNode[]): boolean {
  if (job.state === 'running') return silent.some(({ node }) => job.unresponsive.includes(node))
  return job.state === 'ending' || job.state === 'absent' || (job.state === 'ended' && job.how !== 'completed')
}

/** Names the cause by what is most specific: a node that fell silent explains ranks that died of it on other nodes. */
function likelyCause(
  { job, exits }: Observation,
  failures: readonly ObservedExit[],
  silent: readonly ObservedNode[],
): Pick<Diagnosis, 'cause' | 'detail' | 'suspects'> {
  // An agent ends its ranks when another's has died. With a clock that is behind, those would look like the first.
  const [first] = failures
    .filter((exit) => !hasVanished(exit))
    .toSorted((a, b) => Number(a.killed === true) - Number(b.killed === true) || a.at - b.at)
  const vanished = failures.filter(hasVanished).map((exit) => exit.node)
  // When a job ends, or a node's ranks have, its agents fall silent; only before that does silence point at a node.
  const quiet = job.state === 'running' ? silent.map((node) => node.node) : []
  const lost = [...new Set([...vanished, ...quiet.filter((node) => !exits.some((exit) => exit.node === node))])]
  if (lost.length > 0) return { cause: 'node-lost', detail: `${lost.join(', ')} fell silent`, suspects: lost }
  if (first) return { cause: 'rank-died', detail: `rank ${first.rank} on ${first.node} ${exitText(first)}`, suspects: [] }
  if (job.state === 'absent') return { cause: 'job-vanished', detail: 'the executor no longer knows the job', suspects: [] }
  return { cause: 'job-ended', detail: job.state === 'ended' ? `the job ${job.how}` : 'the job is ending', suspects: [] }
}

/** With its last output where it ended by itself; a killed process has not reported why. */
const exitText = ({ code, signal, words }: ObservedExit): string =>
  signal === null ? `exited with ${code}${words ? `: ${words}` : ''}` : `was killed by signal ${signal}`

/** Where there are no steps that could stand still, only the time limit for silent waiting agents applies. */
function isStandingStill(seen: Observation, attempt: Attempt, limits: RunLimits): boolean {
  if (seen.isJob || hasNotJoined(seen, attempt)) return seen.nodes.some(({ receivedAt }) => seen.now - receivedAt > limits.agentSilence_s)
  return stalledTime(seen, attempt) > hangLimit(seen, limits)
}

function hasNotJoined(seen: Observation, { lastStepAt }: Attempt): boolean {
  return lastStepAt === undefined && ranksOf(seen).every(({ attached }) => attached === false)
}

const ranksOf = ({ nodes }: Observation): readonly ObservedRank[] => nodes.flatMap((node) => node.ranks)

/** A rank that is ahead of the known steps shows that reports are late, as after an outage on our side, not that it hangs. */
function stalledTime(seen: Observation, attempt: Attempt): number {
  if (ranksOf(seen).some(({ step }) => step > (attempt.lastStep ?? 0))) return 0
  return seen.now - (attempt.lastStepAt ?? attempt.startedAt ?? seen.now)
}

function hangLimit({ predictedStep_s = 0 }: Observation, limits: RunLimits): number {
  return Math.max(limits.hangFloor_s, limits.hangSteps * predictedStep_s)
}

function hangDiagnosis(seen: Observation, attempt: Attempt, limits: RunLimits): Diagnosis | undefined {
  if (seen.job.state !== 'running' || seen.nodes.length === 0 || silentNodes(seen, limits).length > 0) return undefined
  const ranks = ranksOf(seen)
  const stalled = Math.min(stalledTime(seen, attempt), ...ranks.map((rank) => rank.phaseAge_s))
  const saving = ranks.some((rank) => rank.phase === 'checkpoint')
  const limit = attempt.lastStepAt === undefined ? limits.start_s : saving ? limits.checkpoint_s : hangLimit(seen, limits)
  if (stalled <= limit) return undefined
  const where = [...new Set(ranks.map((rank) => rank.phase))].join(', ')
  const cause = attempt.lastStepAt === undefined ? 'start-timeout' : 'hang'
  return { cause, detail: `no step for ${Math.round(stalled)} s; ranks are in: ${where}`, sources: ['standstill'], suspects: [] }
}

function stepDiagnosis(seen: Observation): Diagnosis | undefined {
  for (const verdict of seen.verdicts) {
    if (verdict.of === 'loss')
      return { cause: 'bad-loss', detail: verdict.what, sources: ['steps'], suspects: [], resumeBefore: verdict.step }
    const node = seen.nodes.find(({ ranks }) => ranks.some(({ rank }) => rank === verdict.rank))?.node
    if (node && hasSpare(seen))
      return {
        cause: 'straggler',
        detail: `rank ${verdict.rank} on ${node} takes ${verdict.factor.toFixed(1)} times the median`,
        sources: ['steps'],
        suspects: [node],
      }
  }
  return undefined
}

function hasSpare(seen: Observation): boolean {
  const [kind] = kindsToTry(seen)
  return (seen.capacity ?? []).some(
    (node) => node.state === 'idle' && node.free >= slotsPerNode(seen.shape) && isEquipped(node, seen.devices, { kind, by: 'free' }),
  )
}
