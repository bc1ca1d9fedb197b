// Shared storage behind a time limit. Node's own file calls share four threads, and a file system that hangs (NFS without its server)
// holds one for ever; so child processes access storage, each with one request at a time. One that does not answer in time is killed and
// replaced. A process inside a hung call dies only when the call returns: a limited number of those is tolerated, then storage counts as
// away until one of them is gone. docs/decisions/2026-11-15-storage-in-processes.md has the reasons for the limits.

import { type ChildProcess, fork } from 'node:child_process'
import { setprivArguments } from '@ironlaw/executors/users'
import * as z from 'zod'
import { type OperationAnswer, type Input, OPERATIONS, type OperationName } from './operations.ts'

export type StorageAway = { readonly away: string }

export type StorageResult<T> = { readonly value: T } | StorageAway

export type SharedStorage = {
  readonly perform: <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<StorageResult<OperationAnswer<Name>>>
  /** Processes that were given up and have not ended: each is inside a call that hangs. */
  readonly stuck: () => number
  readonly close: () => void
}

export type StorageLimits = {
  /** A healthy network file system answers in milliseconds, a busy one within a second or two. */
  readonly answer_ms: number
  /** At once; a round of reconciliation rarely needs more than a few. */
  readonly processes: number
  readonly stuck: number
  /** Requests that wait for a process; beyond that storage counts as away at once. */
  readonly waiting: number
}

export const STORAGE_LIMITS: StorageLimits = { answer_ms: 5000, processes: 4, stuck: 4, waiting: 4096 }

/** Starting a process on a machine under load. */
const START_MS = 60_000

const RESPONSE = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ id: z.int(), failure: z.string() }),
  z.object({ id: z.int(), answer: z.unknown() }),
])

type Request = {
  readonly message: { readonly id: number; readonly name: OperationName; readonly input: unknown }
  readonly settle: (outcome: StorageResult<unknown>) => void
}

type Worker = { readonly process: ChildProcess; isReady: boolean; request?: Request | undefined }

/** The user that the processes are, where it is not ours. */
export type StorageUser = { readonly uid: number; readonly gid: number }

export function sharedStorage(
  report: (problem: string) => void,
  limits: StorageLimits = STORAGE_LIMITS,
  user?: StorageUser,
): SharedStorage {
  const pool = new Pool({ report, limits, user })
  return {
    perform: async <Name extends OperationName>(name: Name, input: Input<Name>) => {
      const outcome = await pool.submit(name, input)
      if ('away' in outcome) return outcome
      const answer = OPERATIONS[name].answer.safeParse(outcome.value)
      return answer.success ? { value: answer.data as OperationAnswer<Name> } : { away: 'the process that read it gave no proper answer' }
    },
    stuck: () => pool.stuck.size,
    close: () => pool.close(),
  }
}

const STOPPING: StorageAway = { away: 'the control plane is stopping' }

type PoolOptions = {
  readonly report: (problem: string) => void
  readonly limits: StorageLimits
  readonly user: StorageUser | undefined
}

class Pool {
  readonly stuck = new Set<Worker>()
  readonly #workers = new Set<Worker>()
  readonly #waiting = new Set<Request>()
  readonly #report: (problem: string) => void
  readonly #limits: StorageLimits
  readonly #user: StorageUser | undefined
  #isClosed = false
  #last = 0

  constructor({ report, limits, user }: PoolOptions) {
    this.#report = report
    this.#limits = limits
    this.#user = user
  }

  submit(name: OperationName, input: unknown): Promise<StorageResult<unknown>> {
    const { stuck, waiting, answer_ms } = this.#limits
    if (this.#isClosed) return Promise.resolve(STOPPING)
    if (this.stuck.size >= stuck) return Promise.resolve({ away: `${this.stuck.size} calls hang` })
    if (this.#waiting.size >= waiting) return Promise.resolve({ away: `${this.#waiting.size} reads wait for it` })
    const { promise, resolve } = Promise.withResolvers<StorageResult<unknown>>()
    const timer = setTimeout(() => this.#giveUp(request), answer_ms)
    const settle = (outcome: StorageResult<unknown>): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    this.#last += 1
    const request: Request = { message: { id: this.#last, name, input }, settle }
    this.#waiting.add(request)
    this.#assign()
    return promise
  }

  close(): void {
    this.#isClosed = true
    for (const request of this.#waiting) request.settle(STOPPING)
    this.#waiting.clear()
    for (const { process } of this.#workers) process.kill('SIGKILL')
  }

  #assign(): void {
    for (const request of this.#waiting) {
      const idle = [...this.#workers].find((each) => each.isReady && !each.request)
      if (!idle) break
      this.#waiting.delete(request)
      idle.request = request
      idle.process.send(request.message, () => undefined)
    }
    const starting = [...this.#workers].filter((each) => !each.isReady).length
    const hasRoom = this.#workers.size < this.#limits.processes && this.stuck.size < this.#limits.stuck
    if (this.#waiting.size > starting && hasRoom && !this.#isClosed) this.#startWorker()
  }

  #startWorker(): void {
    const child = startChild(this.#user)
    const worker: Worker = { process: child, isReady: false }
    this.#workers.add(worker)
    child.unref()
    child.channel?.unref()
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS).unref()
    child.on('message', (message) => {
      clearTimeout(late)
      // A job of the same user may meddle with the process.
      const response = RESPONSE.safeParse(message)
      if (!response.success) return void child.kill('SIGKILL')
      receive(worker, response.data)
      this.#assign()
    })
    const remove = (): void => {
      clearTimeout(late)
      this.#remove(worker)
    }
    child.once('exit', remove)
    child.once('error', remove)
  }

  #remove(worker: Worker): void {
    this.#workers.delete(worker)
    if (this.stuck.delete(worker)) this.#report(`storage: a call that hung has come back; ${this.stuck.size} still hang`)
    worker.request?.settle({ away: 'the process that read it ended' })
    this.#assign()
  }

  /** Fails a request, queued or in progress, for its caller. */
  #giveUp(request: Request): void {
    const seconds = this.#limits.answer_ms / 1000
    const worker = [...this.#workers].find((each) => each.request === request)
    if (!this.#waiting.delete(request) && worker) {
      worker.request = undefined
      this.#workers.delete(worker)
      this.stuck.add(worker)
      worker.process.kill('SIGKILL')
      this.#report(`storage: ${request.message.name} did not answer for ${seconds} s; its process was ended`)
    }
    request.settle({ away: `no answer for ${seconds} s` })
    this.#assign()
  }
}

const CHILD = new URL('child.ts', import.meta.url)
const NODE_FLAGS = ['--no-warnings']

function startChild(user: StorageUser | undefined): ChildProcess {
  const options = { stdio: 'ignore', env: {} } as const
  if (user === undefined) return fork(CHILD, { ...options, execArgv: NODE_FLAGS })
  const execArgv = [...setprivArguments(user, '--clear-groups'), process.execPath, ...NODE_FLAGS]
  return fork(CHILD, { ...options, execPath: SETPRIV, execArgv, cwd: '/' })
}

/** Of util-linux; the process has no PATH. */
const SETPRIV = '/usr/bin/setpriv'

function receive(worker: Worker, response: z.infer<typeof RESPONSE>): void {
  if ('ready' in response) {
    worker.isReady = true
    return
  }
  if (worker.request?.message.id !== response.id) return
  const { settle } = worker.request
  worker.request = undefined
  settle('failure' in response ? { away: response.failure } : { value: response.answer })
}
