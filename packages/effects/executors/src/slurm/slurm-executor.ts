// Slurm through its own commands, which work on every version. Slurm has no idempotency key: the job's name carries ours, we look
// before we submit, and read back what we submitted.

import { isInService } from '@ironlaw/contracts'
import type { Refused, Unreachable } from '../answers.ts'
import type { Executor, JobOwners, Node, Sightings, Submitted } from '../executor.ts'
import { type JobSpec, refusalOf } from '../job-spec.ts'
import { type Environment, type CommandResult, TIMEOUT_S, runCommand } from './command.ts'
import {
  EXIT_FORMAT,
  JOB_FORMAT,
  type ListedJob,
  type SlurmJob,
  exitsIn,
  hasEnded,
  hasFailed,
  holdsNodes,
  isPending,
  jobName,
  jobsIn,
  sightingOf,
} from './job-list.ts'
import { hasDevices, NODE_FORMAT, nodesIn, USED_FORMAT, usedResources } from './node-list.ts'
import { batchScript, mismatchOf, sbatchArguments } from './submission.ts'
import { checkFit } from './check-fit.ts'
import { commandAs, userEnvironment } from '../users/command-as.ts'
import { findUnixUser, type JobUsers, NO_USERS, userRefusal } from '../users/unix-user.ts'

type Options = {
  /** What commands, and so jobs, inherit: PATH, and SLURM_CONF where it is not the default. Nothing of the caller's own. */
  readonly environment: Environment
  readonly partition?: string
  /** Others whose nodes are shown too: jobs that name one of them are sent there. */
  readonly otherPartitions?: readonly string[]
  /** Other users that jobs may be submitted as, by a control plane that is root. */
  readonly users?: JobUsers
  readonly timeout_s?: number
}

const DONE = { answer: 'done' } as const
const OWN_UID = process.getuid?.() ?? 0

export function slurmExecutor(options: Options): Executor {
  const { environment, partition, otherPartitions = [], users = NO_USERS, timeout_s = TIMEOUT_S } = options
  const slurm = new Slurm({ environment, partition, otherPartitions, users, timeout_s })
  return {
    submit: (job) => slurm.submit(job),
    sightings: (keys, owners = new Map()) => slurm.sightings(keys, owners),
    cancel: async (key, owner) => {
      const jobs = await slurm.jobs(jobName(key), owner)
      return 'answer' in jobs ? jobs : slurm.end(jobs)
    },
    release: (key, nodes, owner) => slurm.release(key, nodes, owner),
    capacity: async () => {
      const nodes = await slurm.nodes()
      return 'answer' in nodes ? nodes : { answer: 'capacity', nodes }
    },
    drain: (node, reason) => slurm.updateNode(node, ['State=DRAIN', `Reason=${reason}`]),
    undrain: async (node) => {
      const nodes = await slurm.nodes()
      if ('answer' in nodes) return nodes
      // Slurm refuses to resume what is neither drained nor down. After a resume the node is unresponsive until it has answered a ping.
      const isResumed = nodes.some((each) => each.name === node && (isInService(each) || each.state === 'unresponsive'))
      return isResumed ? DONE : slurm.updateNode(node, ['State=RESUME'])
    },
  }
}

const unknownOwner = (owner: string | undefined): Unreachable => ({
  answer: 'unreachable',
  reason: `there is no user "${owner}" on this machine`,
})

type Settings = {
  readonly environment: Environment
  readonly partition: string | undefined
  readonly otherPartitions: readonly string[]
  readonly users: JobUsers
  readonly timeout_s: number
}

class Slurm {
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  async submit(job: JobSpec): Promise<Submitted | Refused | Unreachable> {
    const refusal = refusalOf(job) ?? userRefusal(job, this.settings.users)
    if (refusal) return refusal
    const before = await this.jobs(jobName(job.key), job.user?.name)
    if ('answer' in before) return before
    if (before.length === 0) {
      const started = await this.start(job)
      if (started.answer !== 'done') return started
    }
    const jobs = before.length === 0 ? await this.jobs(jobName(job.key), job.user?.name) : before
    if ('answer' in jobs) return jobs
    const [first, ...surplus] = jobs
    if (first === undefined) return { answer: 'unreachable', reason: `sbatch accepted ${job.key}, but squeue does not list it` }
    const ended = await this.end(surplus)
    if (ended.answer !== 'done') return ended
    return (await this.findMismatch(job, first)) ?? { answer: 'submitted', reference: String(first.id), already: before.length > 0 }
  }

  async sightings(keys: readonly string[], owners: JobOwners): Promise<Sightings | Unreachable> {
    const uidOfOwner = new Map([undefined, ...owners.values()].map((owner) => [owner, this.uidOf(owner)]))
    const [unknown] = [...uidOfOwner].find(([, uid]) => uid === undefined) ?? []
    if (unknown !== undefined) return unknownOwner(unknown)
    const uids = [...new Set(uidOfOwner.values())].filter((uid) => uid !== undefined)
    const jobs = await this.jobsOf(uids)
    if ('answer' in jobs) return jobs
    const uidOfKey = new Map(keys.map((key) => [key, uidOfOwner.get(owners.get(key))]))
    const byKey = Map.groupBy(
      jobs.filter(({ key, uid }) => uidOfKey.get(key) === uid),
      ({ key }) => key,
    )
    const firsts = [...byKey.values()].flatMap(([first]) => first ?? [])
    // A submission that arrived after we had given it up and repeated it; `singleton` has held it back.
    const ended = await this.end([...byKey.values()].flatMap(([, ...surplus]) => surplus))
    if (ended.answer !== 'done') return ended
    const exits = await this.queueListing(firsts.some(hasFailed), ['--states=all', `--user=${uids.join(',')}`, `--Format=${EXIT_FORMAT}`])
    if (typeof exits !== 'string') return exits
    const queue = await this.queueListing(firsts.some(isPending), ['--states=PENDING', '--sort=-p,i', '--format=%i'])
    if (typeof queue !== 'string') return queue
    const surroundings = { exits: exitsIn(exits), queue: queue.split('\n').map(Number) }
    return { answer: 'seen', jobs: new Map(keys.map((key) => [key, sightingOf(byKey.get(key)?.[0], surroundings)])) }
  }

  async jobs(name: string, owner: string | undefined): Promise<readonly SlurmJob[] | Unreachable> {
    const uid = this.uidOf(owner)
    return uid === undefined ? unknownOwner(owner) : this.jobsOf([uid], `--name=${name}`)
  }

  /** Filtered by the controller, so that a busy cluster does not send us everybody's jobs. */
  private async jobsOf(uids: readonly number[], ...more: readonly string[]): Promise<readonly ListedJob[] | Unreachable> {
    const listed = await this.queueListing(true, ['--states=all', `--user=${uids.join(',')}`, ...more, `--format=${JOB_FORMAT}`])
    return typeof listed === 'string' ? jobsIn(listed) : listed
  }

  /** A user that was taken from the list keeps the jobs that it has. */
  private uidOf(owner: string | undefined): number | undefined {
    return owner === undefined ? OWN_UID : (this.settings.users.get(owner) ?? findUnixUser(owner))?.uid
  }

  async nodes(): Promise<readonly Node[] | Unreachable> {
    const { partition, otherPartitions } = this.settings
    const only = partition === undefined ? ['--all'] : [`--partition=${[partition, ...otherPartitions].join(',')}`]
    const listed = await this.commandOutput(['sinfo', '--Node', '--noheader', ...only, `--format=${NODE_FORMAT}`])
    if (typeof listed !== 'string') return listed
    const nodes = nodesIn(listed)
    if (!hasDevices(nodes)) return nodes
    const used = await this.commandOutput(['sinfo', '--Node', '--noheader', ...only, `--Format=${USED_FORMAT}`])
    return typeof used === 'string' ? nodesIn(listed, usedResources(used)) : used
  }

  async end(jobs: readonly SlurmJob[]): Promise<typeof DONE | Unreachable> {
    const live = jobs.filter((job) => !hasEnded(job)).map(({ id }) => String(id))
    if (live.length === 0) return DONE
    const ran = await this.run(['scancel', '--quiet', ...live])
    return ran.answer === 'ran' ? DONE : ran
  }

  /** A second one of the same job takes accounting storage: Slurm has to write the first down before it changes the job again. */
  async release(key: string, nodes: readonly string[], owner: string | undefined): Promise<typeof DONE | Refused | Unreachable> {
    const jobs = await this.jobs(jobName(key), owner)
    if ('answer' in jobs) return jobs
    for (const job of jobs.filter(holdsNodes)) {
      const left = job.nodes.filter((node) => !nodes.includes(node))
      if (left.length === job.nodes.length) continue
      if (left.length === 0) return this.end([job])
      const ran = await this.run(['scontrol', 'update', `JobId=${job.id}`, `NodeList=${left.join(',')}`])
      if (ran.answer !== 'ran') return ran
      if (ran.status !== 0) return { answer: 'refused', field: 'nodes', reason: ran.stderr.trim() }
    }
    return DONE
  }

  async updateNode(node: string, change: readonly string[]): Promise<typeof DONE | Refused | Unreachable> {
    // A list or a range would be taken too, and change more than one.
    if (!/^[\w.-]+$/.test(node)) return { answer: 'refused', field: 'node', reason: `"${node}" is not the name of one node` }
    const ran = await this.run(['scontrol', 'update', `NodeName=${node}`, ...change])
    if (ran.answer !== 'ran') return ran
    return ran.status === 0 ? DONE : { answer: 'refused', field: 'node', reason: ran.stderr.trim() }
  }

  private async start(job: JobSpec): Promise<typeof DONE | Refused | Unreachable> {
    const nodes = await this.nodes()
    if ('answer' in nodes) return nodes
    const user = job.user && this.settings.users.get(job.user.name)
    const refused = await checkFit(job, nodes, user)
    if (refused) return refused
    // By the user itself, so that its accounts, its shares and its limits are what Slurm goes by.
    const command = commandAs(user, ['sbatch', ...sbatchArguments(job, this.settings.partition)])
    const environment = { ...this.settings.environment, ...userEnvironment(user) }
    const ran = await this.run(command, { environment, input: batchScript(job) })
    if (ran.answer !== 'ran') return ran
    return ran.status === 0 ? DONE : { answer: 'refused', field: 'job', reason: ran.stderr.trim() }
  }

  private async findMismatch(job: JobSpec, found: SlurmJob): Promise<Refused | Unreachable | undefined> {
    if (hasEnded(found)) return undefined
    const held = await this.commandOutput(['scontrol', '--oneliner', 'show', 'job', String(found.id)])
    if (typeof held !== 'string') return held
    const wrong = mismatchOf(job, held, this.settings.partition)
    if (wrong === undefined) return undefined
    const ended = await this.end([found])
    return ended.answer === 'done' ? { answer: 'refused', ...wrong } : ended
  }

  private queueListing(needed: boolean, args: readonly string[]): Promise<string | Unreachable> {
    return needed ? this.commandOutput(['squeue', '--noheader', '--all', ...args]) : Promise.resolve('')
  }

  /** Of a question. A status other than 0 says that it was not answered, so nothing may be concluded. */
  private async commandOutput(command: readonly [string, ...string[]]): Promise<string | Unreachable> {
    const ran = await this.run(command, { environment: { ...this.settings.environment, TZ: 'UTC' } })
    if (ran.answer !== 'ran') return ran
    return ran.status === 0 ? ran.stdout : { answer: 'unreachable', reason: `${command[0]} ended with ${ran.status}: ${ran.stderr.trim()}` }
  }

  private run(
    command: readonly [string, ...string[]],
    more: { readonly environment?: Environment; readonly input?: string } = {},
  ): Promise<CommandResult | Unreachable> {
    const { environment, timeout_s } = this.settings
    return runCommand({ command, environment, timeout_s, ...more })
  }
}
