// A real vLLM on this machine's processor: planned, deployed by `ironlaw apply`, queried, rolled out, rolled back, drained.

import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientLoad } from '../serving/client-load.ts'
import { KEY, startLocalBed } from '../serving/local-bed.ts'
import { vllmEnvironment } from './environment.ts'

const PYTHON_SDK = join(import.meta.dirname, '../../../python')
const FLEET = join(import.meta.dirname, '../../../examples/reference-trainer/fleet.yaml')
/** It compiles and warms up on cores that it shares with the one that serves. */
const START_S = 600

/** What was shown; nothing where vLLM is not installed. */
export async function deployVllm(python: string): Promise<string | undefined> {
  const environment = vllmEnvironment(python)
  if (!environment) return undefined
  const bed = await startLocalBed()
  try {
    const { plane, directory, command, gateway } = bed
    const model = join(directory, 'tiny')
    execFileSync(python, [join(import.meta.dirname, 'programs/tiny_model.py'), model], { stdio: ['ignore', 'ignore', 'pipe'] })
    const api = ['-m', 'vllm.entrypoints.openai.api_server', '--model', model, '--served-model-name', 'm', '--enforce-eager']
    const write = (over: object): void => {
      const spec = {
        apiVersion: 'ironlaw/v1',
        kind: 'Serve',
        name: 'vllm',
        model: join(model, 'config.json'),
        engine: 'vllm',
        traffic: { requests_per_s: 1, input_tokens: 32, output_tokens: 12 },
        objectives: { ttft: '5 s', tpot: '1 s' },
        accelerators: ['cpu-core'],
        precisions: ['bf16'],
        spare: 0,
        deploy: {
          engine: 'vllm',
          program: [python, '-m', 'ironlaw.replica', '--', python, ...api],
          directory,
          environment: { ...environment, PYTHONPATH: `${environment['PYTHONPATH']}:${PYTHON_SDK}` },
          model: 'm',
          processes: 1,
          replicas: 1,
          rollout: { keep_previous_s: 120 },
          limits: { start_s: START_S, drain_s: 30 },
          ...over,
        },
      }
      writeFileSync(join(directory, 'vllm.json'), JSON.stringify(spec))
    }
    write({})
    const applied = Date.now()
    await command('apply', 'vllm.json', '--with', FLEET, '-y', '--accept-inexact')
    const { id } = await plane.until('vllm', ({ state }) => state === 'serving', START_S)
    const start_s = (Date.now() - applied) / 1000
    const load = new ClientLoad({ url: gateway.url, key: KEY, workers: 2, model: 'vllm' })
    write({ max_running: 4 })
    await command('apply', 'vllm.json', '--with', FLEET, '-y', '--accept-inexact')
    await plane.until('vllm', ({ serving }) => serving === 2, START_S)
    await plane.order('vllm', 'promote')
    await plane.until('vllm', ({ stable, previous }) => stable === 2 && previous?.warm === 1)
    await plane.order('vllm', 'back')
    await plane.until('vllm', ({ stable }) => stable === 1)
    await load.stop()
    const { answered, cut, lost } = load.takeCounts()
    assert.deepEqual({ cut, lost }, { cut: 0, lost: 0 }, `${[...load.problems].join('; ')}\n${logTails(directory)}`)
    assert.ok(answered > 0, 'no request was answered')
    await plane.ask('/v1/deployments/vllm', 'DELETE')
    await plane.until(id, ({ state, replicas }) => state === 'removed' && replicas.length === 0)
    return `serves ${start_s.toFixed(0)} s after apply; ${answered} streams answered over a rollout and the way back, ${cut} cut, ${lost} lost`
  } finally {
    await bed.stop()
  }
}

/** Of every engine. */
const logTails = (directory: string): string =>
  globSync(join(directory, 'runs/replicas/*/node-0.log'))
    .map((file) => `${file}\n${readFileSync(file, 'utf8').slice(-3000)}`)
    .join('\n')
