// All mistakes, made: one control plane for those that need one, a PostgreSQL server that was stopped, a port that is taken.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as z from 'zod'
import { SERVER_ABSENT, startPrivateServer } from '../../packages/effects/store/test/private-server.ts'
import { sparePorts } from '../../tools/testbed/ports.ts'
import { createTestHome, type TestHome, processesOf, stopAll } from './files.ts'
import { makeMistake, type Message, messageIn, type Outcome, type Ports, steady } from './made-mistake.ts'
import { type Mistake, MISTAKES } from './mistakes.ts'

export type MistakeResults = {
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly messages: ReadonlyMap<string, Message | undefined>
  /** Commands of processes that a mistake has left behind. */
  readonly left: readonly string[]
}

const ABSENT = {
  'control plane': undefined,
  PostgreSQL: SERVER_ABSENT,
  // To import it takes seconds.
  PyTorch: existsSync('/usr/lib/python3/dist-packages/torch') ? undefined : 'no PyTorch: apt-get install python3-torch',
} as const

/** ONLY=21,25 makes these alone. */
const only = process.env['ONLY']?.split(',')

/** Those for which everything is there. */
export const FEASIBLE = MISTAKES.filter(
  ({ id, needs }) => (needs === undefined || ABSENT[needs] === undefined) && (only?.includes(id) ?? true),
)

/** As many commands at once as keep the two processors of a small machine busy. */
const PARALLEL = 3

export const MESSAGES_FILE = join(import.meta.dirname, 'messages.json')

const MESSAGES = z.record(z.string(), z.object({ exit: z.int(), code: z.string(), message: z.string().min(1), next: z.string().min(1) }))

export const keptMessages = (): z.infer<typeof MESSAGES> => MESSAGES.parse(JSON.parse(readFileSync(MESSAGES_FILE, 'utf8')))

/** Each message is handed on as soon as it is known. */
export async function makeMistakes(onMessage: (id: string, message: Message) => void = () => undefined): Promise<MistakeResults> {
  const place = createTestHome()
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const address = holder.address()
  const first = await sparePorts(2)
  const ports = {
    api: first,
    busy: typeof address === 'object' ? (address?.port ?? 0) : 0,
    free: first + 1,
    database: await findStoppedPort(),
  }
  const started: ChildProcess[] = []
  try {
    const outcomes = new Map<string, Outcome>()
    const [operating, others] = [FEASIBLE.filter(needsControlPlane), FEASIBLE.filter((each) => !needsControlPlane(each))]
    const ready = operating.length === 0 ? undefined : startControlPlane(place, ports, started)
    const messages = new Map<string, Message | undefined>()
    const make = async (mistake: Mistake): Promise<void> => {
      const outcome = await makeMistake(mistake, place, ports)
      const message = steadyMessage(outcome, place, ports)
      outcomes.set(mistake.id, outcome)
      messages.set(mistake.id, message)
      if (message) onMessage(mistake.id, message)
    }
    await makeEach(others, make)
    await ready
    await makeEach(operating, make)
    const left = processesOf(place)
      .map(({ command }) => command)
      .filter((command) => /ironlaw\.(?:measure|export)|gateway|engine/.test(command))
    return { outcomes, messages, left }
  } finally {
    holder.close()
    await stopAll(place, started)
  }
}

const needsControlPlane = ({ needs }: Mistake): boolean => needs === 'control plane'

function steadyMessage(outcome: Outcome, place: TestHome, ports: Ports): Message | undefined {
  const message = messageIn(outcome)
  return message && steady(message, place, ports)
}

/** A port where a PostgreSQL server has been, and is no more. */
async function findStoppedPort(): Promise<number> {
  const port = await sparePorts(1)
  if (SERVER_ABSENT !== undefined || !FEASIBLE.some(({ needs }) => needs === 'PostgreSQL')) return port
  const server = await startPrivateServer(['listen_addresses=127.0.0.1', `port=${port}`])
  await server.stop()
  return port
}

async function startControlPlane({ home, folder, environment }: TestHome, { api }: Ports, started: ChildProcess[]): Promise<void> {
  const child = spawn(join(home, 'bin', 'ironlaw'), ['up', '--listen', `127.0.0.1:${api}`], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  let output = ''
  for await (const data of child.stdout) {
    output += String(data)
    if (output.includes('listening on')) return
  }
  throw new Error(`the control plane ended before it listened: ${output}`)
}

async function makeEach(mistakes: readonly Mistake[], make: (mistake: Mistake) => Promise<void>): Promise<void> {
  const waiting = [...mistakes]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await make(next)
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
}
