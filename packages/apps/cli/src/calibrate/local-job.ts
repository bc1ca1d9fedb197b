// The measuring program as processes on this machine, with the environment that torchrun sets: for use without a control plane.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { IronlawError } from '@ironlaw/contracts'
import { type MeasuredLine, measuredLine } from './measured-rows.ts'

export const PYTHON_SDK = fileURLToPath(new URL('../../../../../python', import.meta.url))

export type LocalJob = {
  readonly python: string
  readonly processes: number
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

const TAIL_LINES = 12

export async function* measureLocally(job: LocalJob): AsyncGenerator<MeasuredLine> {
  const port = String(await freePort())
  const ranks = [...Array(job.processes).keys()].map((rank) => startRank(job, { rank, port }))
  const [head] = ranks
  if (!head) return
  const ends = Promise.all(ranks.map(async (rank): Promise<unknown> => (await once(rank, 'close'))[0]))
  const said: string[] = []
  for (const rank of ranks) rank.stderr.on('data', (text: Buffer) => said.push(...String(text).trim().split('\n')))
  let over = false
  const kill = (): void => ranks.forEach((rank) => void rank.kill())
  process.once('exit', kill)
  try {
    for await (const line of createInterface({ input: head.stdout })) {
      const found = measuredLine(line)
      if (found) yield found
    }
    over = true
  } finally {
    // A caller that stops iterating wants no more measurements.
    if (!over) kill()
    process.off('exit', kill)
  }
  if ((await ends).some((code) => code !== 0))
    throw new IronlawError('IL_USAGE', { problem: `measuring failed: ${said.slice(-TAIL_LINES).join('\n')}`, command: 'calibrate' })
}

function startRank({ python, processes, arguments: given, environment }: LocalJob, { rank, port }: { rank: number; port: string }) {
  return spawn(python, ['-m', 'ironlaw.measure', ...given], {
    env: {
      OMP_NUM_THREADS: '1', // as torchrun: ranks that each take all cores starve one another
      ...process.env,
      ...environment,
      PYTHONPATH: PYTHON_SDK,
      PYTHONDONTWRITEBYTECODE: '1',
      RANK: String(rank),
      LOCAL_RANK: String(rank),
      WORLD_SIZE: String(processes),
      LOCAL_WORLD_SIZE: String(processes),
      MASTER_ADDR: '127.0.0.1',
      MASTER_PORT: port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Below the range of ephemeral ports, so that no other process takes it between this check and the first rank. */
export async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    const server = createServer().listen(port, '127.0.0.1')
    // A port that cannot be listened on is taken, whatever the error says.
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (free) return port
  }
}
