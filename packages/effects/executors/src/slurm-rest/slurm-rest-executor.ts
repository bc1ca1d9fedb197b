// Slurm through its REST API (slurmrestd v0.0.38, tokens), where the control plane has no Slurm commands. As in slurm/, the job's name
// carries our key, we look before we submit, and read back what we submitted.
//
// The API cannot drain a node; that is refused by name. Excluded nodes: submission.ts.

import { readFile } from 'node:fs/promises'
import type { Done, Refused, Unreachable } from '../answers.ts'
import type { Executor, JobOwners, Node, Sightings, Submitted } from '../executor.ts'
import { type JobSpec, refusalOf } from '../job-spec.ts'
import { hasEnded, holdsNodes, sightingOf } from '../slurm/job-list.ts'
import { checkFit } from '../slurm/check-fit.ts'
import { userEnvironment } from '../users/command-as.ts'
import { type JobUsers, NO_USERS, userRefusal } from '../users/unix-user.ts'
import { type Access, TIMEOUT_S, request } from './api.ts'
import { type ShownJob, jobOf, jobsOf, sightingContext } from './shown-job.ts'
import { nodeOf } from './shown-node.ts'
import { type TokenSource, userTokens } from './user-tokens.ts'
import { switchesRefusal, mismatchOf, type Settings, submissionOf } from './submission.ts'

type Options = Pick<Access, 'api' | 'user' | 'caFile'> & {
  readonly tokenFile: string
  /** Others that jobs may be submitted as, and where their tokens come from. */
  readonly users?: JobUsers
  readonly tokens?: TokenSource
  readonly timeout_s?: number
  /** What jobs inherit: SLURM_CONF where it is not the default. */
  readonly environment?: Readonly<Record<string, string>>
  readonly partition?: string
  /** Others whose nodes are shown too: jobs that name one of them are sent there. */
  readonly otherPartitions?: readonly string[]
}

export type { TokenSource } from './user-tokens.ts'

const DONE = { answer: 'done' } as const
const NO_SUCH_JOB = 2017

export function slurmRestExecutor(options: Options): Executor {
  const { api, environment = {}, partition, otherPartitions = [], timeout_s = TIMEOUT_S } = options
  const token = async (): Promise<string> => (await readFile(options.tokenFile, 'utf8')).trim()
  const own = { api, user: options.user, token, timeout_s, ...(options.caFile !== undefined && { caFile: options.caFile }) }
  const accesses = { own, others: otherAccesses(own, options) }
  const slurm = new SlurmRest(accesses, { environment, partition, otherPartitions, users: options.users ?? NO_USERS })
  return {
    submit: (job) => slurm.submit(job),
    sightings: (keys, owners = new Map()) => slurm.sightings(keys, owners),
    cancel: async (key, owner) => {
      const shown = await slurm.jobs()
      return 'answer' in shown ? shown : slurm.end(slurm.jobsNamed(shown, key, owner))
    },
    release: (key, nodes, owner) => slurm.release(key, nodes, owner),
    capacity: async () => {
      const nodes = await slurm.nodes()
      return 'answer' in nodes ? nodes : { answer: 'capacity', nodes }
    },
    drain: (node) => slurm.cannotUpdate(node, 'drain'),
    undrain: (node) => slurm.cannotUpdate(node, 'undrain'),
  }
}

function otherAccesses(own: Access, { users = NO_USERS, tokens }: Options): ReadonlyMap<string, Access> {
  if (tokens === undefined) return new Map()
  const tokenOf = userTokens(tokens)
  return new Map([...users.keys()].map((user) => [user, { ...own, user, token: () => tokenOf(user) }]))
}

type JobListing = { readonly everybody: readonly ShownJob[] }
/** As ourselves, and as each of the others. */
type Accesses = { readonly own: Access; readonly others: ReadonlyMap<string, Access> }

class SlurmRest {
  private readonly accesses: Accesses
  private readonly settings: Settings

  constructor(accesses: Accesses, settings: Settings) {
    this.accesses = accesses
    this.settings = settings
  }

  /** Of that user; another's of the same name is somebody's own. */
  jobsNamed({ everybody }: JobListing, key: string, owner = this.accesses.own.user): readonly ShownJob[] {
    return jobsOf(everybody, key).filter(({ user_name }) => user_name === owner)
  }

  /** As ourselves for a user that was taken from the list: Slurm decides whether we may. */
  private accessOf(user = this.accesses.own.user): Access {
    return this.accesses.others.get(user) ?? this.accesses.own
  }

  private userRefusal(job: JobSpec): Refused | undefined {
    const refusal = userRefusal(job, this.settings.users)
    if (refusal || job.user === undefined || this.accesses.others.has(job.user.name)) return refusal
    return {
      answer: 'refused',
      field: 'user',
      reason: `there is no token for "${job.user.name}"; give --slurm-jwt-key or --slurm-token-command`,
    }
  }

  async submit(job: JobSpec): Promise<Submitted | Refused | Unreachable> {
    const refusal = refusalOf(job) ?? this.userRefusal(job) ?? switchesRefusal(job)
    if (refusal) return refusal
    const before = await this.jobs()
    if ('answer' in before) return before
    const already = this.jobsNamed(before, job.key, job.user?.name).length > 0
    const started = already ? DONE : await this.start(job)
    if (started.answer !== 'done') return started
    const shown = already ? before : await this.jobs()
    if ('answer' in shown) return shown
    const [first, ...surplus] = this.jobsNamed(shown, job.key, job.user?.name)
    if (first === undefined) return { answer: 'unreachable', reason: `slurmrestd accepted ${job.key} but does not list it` }
    const wrong = hasEnded(jobOf(first)) ? undefined : mismatchOf(job, first, this.settings.partition)
    const ended = await this.end(wrong === undefined ? surplus : [first, ...surplus])
    if (ended.answer !== 'done') return ended
    return wrong === undefined ? { answer: 'submitted', reference: String(first.job_id), already } : { answer: 'refused', ...wrong }
  }

  async sightings(keys: readonly string[], owners: JobOwners): Promise<Sightings | Unreachable> {
    const shown = await this.jobs()
    if ('answer' in shown) return shown
    const byKey = keys.map((key) => [key, this.jobsNamed(shown, key, owners.get(key))] as const)
    // A submission that was given up and repeated may have arrived after all.
    const ended = await this.end(byKey.flatMap(([, [, ...surplus]]) => surplus))
    if (ended.answer !== 'done') return ended
    const surroundings = sightingContext(shown.everybody)
    return { answer: 'seen', jobs: new Map(byKey.map(([key, [first]]) => [key, sightingOf(first && jobOf(first), surroundings)])) }
  }

  async jobs(): Promise<JobListing | Unreachable> {
    const body = await this.query('jobs')
    if ('answer' in body) return body
    return { everybody: body.jobs ?? [] }
  }

  async nodes(): Promise<readonly Node[] | Unreachable> {
    const { partition, otherPartitions } = this.settings
    const shown = partition === undefined ? undefined : [partition, ...otherPartitions]
    const body = await this.query('nodes')
    if ('answer' in body) return body
    return (body.nodes ?? []).filter(({ partitions }) => shown?.some((name) => partitions.includes(name)) ?? true).map(nodeOf)
  }

  async end(jobs: readonly ShownJob[]): Promise<Done | Unreachable> {
    for (const job of jobs.filter((shown) => !hasEnded(jobOf(shown)))) {
      const reply = await request(this.accessOf(job.user_name), { method: 'DELETE', path: `job/${job.job_id}` })
      if (reply.answer === 'unreachable') return reply
      if (reply.answer === 'declined' && reply.code !== NO_SUCH_JOB) return { answer: 'unreachable', reason: reply.reason }
    }
    return DONE
  }

  async release(key: string, nodes: readonly string[], owner: string | undefined): Promise<Done | Refused | Unreachable> {
    const shown = await this.jobs()
    if ('answer' in shown) return shown
    for (const job of this.jobsNamed(shown, key, owner).filter((each) => holdsNodes(jobOf(each)))) {
      const held = jobOf(job).nodes
      const left = held.filter((node) => !nodes.includes(node))
      if (left.length === held.length) continue
      if (left.length === 0) return this.end([job])
      const reply = await request(this.accessOf(owner), { method: 'POST', path: `job/${job.job_id}`, body: { nodelist: left.join(',') } })
      if (reply.answer === 'declined') return { answer: 'refused', field: 'nodes', reason: reply.reason }
      if (reply.answer !== 'replied') return reply
    }
    return DONE
  }

  async cannotUpdate(node: string, verb: 'drain' | 'undrain'): Promise<Refused | Unreachable> {
    const nodes = await this.nodes()
    if ('answer' in nodes) return nodes
    if (!nodes.some(({ name }) => name === node)) return { answer: 'refused', field: 'node', reason: `there is no node "${node}"` }
    const command = `scontrol update NodeName=${node} State=${verb === 'drain' ? 'DRAIN Reason=...' : 'RESUME'}`
    return {
      answer: 'refused',
      field: verb,
      reason: `the REST API of Slurm v0.0.38 cannot change a node; an administrator can: ${command}`,
    }
  }

  private async start(job: JobSpec): Promise<Done | Refused | Unreachable> {
    const nodes = await this.nodes()
    if ('answer' in nodes) return nodes
    const user = job.user && this.settings.users.get(job.user.name)
    const refused = await checkFit(job, nodes, user)
    if (refused) return refused
    const settings = { ...this.settings, environment: { ...this.settings.environment, ...userEnvironment(user) } }
    const reply = await request(this.accessOf(job.user?.name), {
      method: 'POST',
      path: 'job/submit',
      body: submissionOf(job, nodes, settings),
    })
    if (reply.answer === 'declined') return { answer: 'refused', field: 'job', reason: reply.reason }
    return reply.answer === 'replied' ? DONE : reply
  }

  /** Declined, a question was not answered, so nothing may be concluded. */
  private async query(path: string) {
    const reply = await request(this.accesses.own, { method: 'GET', path })
    if (reply.answer === 'replied') return reply.body
    return { answer: 'unreachable', reason: reply.reason } as const
  }
}
