// A real control plane with one run: PGlite, the local executor, and a program of two ranks that reports through the SDK.

import { createServer } from 'node:net'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'

export async function startPlaneWithRun(): Promise<ControlPlane> {
  // A port of its own range: browsers refuse some of those that systems hand out.
  const plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  await createRun(plane)
  return plane
}

export async function sparePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = createServer()
  probe.once('error', () => resolve(false))
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  return (await promise) ? port : sparePort()
}

async function createRun(context: { readonly api: string; readonly token: string }): Promise<void> {
  const plan = sampleTrainingPlan({ prediction: { step_s: 0.06, step_low_s: 0.05, step_high_s: 0.08 } })
  const answer = await fetch(`${context.api}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${context.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'tiny',
      plan,
      program: { argv: ['steps.py'], directory: import.meta.dirname },
      shape: { nodes: 1, processesPerNode: 2 },
    }),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}
