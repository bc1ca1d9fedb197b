// The agents of all live runs, in a process of their own: each reports one beat and one step, and now and then a checkpoint.

import { liveToken } from './history.ts'
import { client } from './http.ts'
import { runPaced, type Samples } from './samples.ts'

const [api = '', live = '1', perSecond = '1', seconds = '10'] = process.argv.slice(2)
/** One report of a run in this many contains a checkpoint. */
const SAVES = 30
const LANES = 64

const runs = Number(live)
/** From the clock, so that a later process goes on where this one ended. */
const sequences = new Int32Array(runs).fill(Math.floor(Date.now() / 100) % 2e9)
const call = client(api, LANES)

function report(sequence: number): string {
  const at = Date.now() / 1000
  const ranks = [{ rank: 0, step: sequence, phase: 'compute', phase_age_s: 0.1, alive: true }]
  const phases_s = { data: 0.01, compute: 0.8, communication: 0.1, optimizer: 0.05 }
  const slowest = { rank: 0, compute_s: 0.8 }
  const step = { step: sequence, at, seconds: 1, tokens: 4096, loss: 3.2, gradient_norm: 1.1, world: 1, phases_s, slowest }
  const manifest = `attempts/0001/open/step-${sequence}.json`
  const saved = { state: 'committed', step: sequence, attempt: 1, bytes: 1e9, write_s: 2, pause_s: 0.5, at, manifest }
  return JSON.stringify({
    node: 'n1',
    index: 0,
    sequence,
    sent_at: at,
    beats: [{ node: 'n1', index: 0, host: 'n1', age_s: 0.1, ranks }],
    steps: [step],
    checkpoints: sequence % SAVES === 0 ? [saved] : [],
  })
}

async function ask(number: number): Promise<boolean> {
  const run = number % runs
  const sequence = (sequences[run] = (sequences[run] ?? 0) + 1)
  const { status } = await call({ path: `/v1/runs/live-${run + 1}/attempts/1/reports`, token: liveToken(run + 1), body: report(sequence) })
  return status === 200
}

process.once('disconnect', () => process.exit(1))
const samples: Samples = await runPaced({ perSecond: Number(perSecond), seconds: Number(seconds), lanes: LANES, ask })
process.send?.(samples, () => process.exit(0))
