// `npm run compare:simulators -- --vidur <checkout>`: Vidur and Ironlaw on the example of Vidur's README, one after the other on this machine.
// The same arrivals, lengths, model, card and scheduler; processor time of the simulation alone. Speed only: what a step takes comes from
// each one's own model. Options: --requests (5000), --python (python3).

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { RandomStream, simulateServing, traceOf, tracedArrivals, VLLM_RULE } from '@ironlaw/simulator/serving'
import { servedReplica } from '../served-replica.ts'

const REQUESTS_PER_S = 6.45
const CHUNK = 512
const SEQUENCES = 512
const LONGEST = 16_384

type Row = { readonly at_s: number; readonly prompt: number; readonly output: number }
type TimedRun = { readonly cpu_s: number; readonly simulated_s: number }

const { values } = parseArgs({
  options: { vidur: { type: 'string' }, requests: { type: 'string', default: '5000' }, python: { type: 'string', default: 'python3' } },
})
if (values.vidur === undefined) throw new Error('--vidur <folder> names a checkout of github.com/microsoft/vidur')
const vidur = resolve(values.vidur)
const rows = workload(Number(values.requests))
const theirs = runVidur()
console.log(
  `${rows.length} requests, ${REQUESTS_PER_S}/s, Llama 3 8B on one A100, SARATHI chunks of ${CHUNK}; processor time of this machine`,
)
report('Vidur', theirs)
for (const [name, longestRun] of [
  ['Ironlaw, step by step', 1],
  ['Ironlaw', VLLM_RULE.longestRun],
] as const)
  report(name, runIronlaw(longestRun), theirs.cpu_s)

/** Lengths of Azure's conversations in the file's order, at Poisson arrivals. */
function workload(count: number): Row[] {
  const random = new RandomStream([1])
  let at_s = 0
  return readFileSync(join(vidur, 'data/processed_traces/splitwise_conv.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1, count + 1)
    .map((line, index) => {
      const [, prompt = 1, output = 1] = line.split(',').map(Number)
      if (index > 0) at_s += random.exponential() / REQUESTS_PER_S
      return { at_s, prompt: Math.max(1, prompt), output: Math.max(1, output) }
    })
}

function report(name: string, { cpu_s, simulated_s }: TimedRun, theirs_s?: number): void {
  const rate = Math.round(rows.length / cpu_s).toLocaleString('en')
  const gain = theirs_s === undefined ? '' : `, ${(theirs_s / cpu_s).toFixed(0)} times Vidur's`
  console.log(`  ${name}: ${cpu_s.toPrecision(3)} s for ${simulated_s.toFixed(0)} s of traffic, ${rate} requests/s${gain}`)
}

function runVidur(): TimedRun {
  const folder = mkdtempSync(join(tmpdir(), 'compare-simulators-'))
  const trace = join(folder, 'requests.csv')
  const lines = rows.map(({ at_s, prompt, output }) => `${at_s},${prompt},${output}`)
  writeFileSync(trace, ['arrived_at,num_prefill_tokens,num_decode_tokens', ...lines].join('\n'))
  const predictor = '--random_forrest_execution_time_predictor_config'
  const given: Readonly<Record<string, string | number>> = {
    '--replica_config_device': 'a100',
    '--replica_config_model_name': 'meta-llama/Meta-Llama-3-8B',
    '--cluster_config_num_replicas': 1,
    '--replica_config_tensor_parallel_size': 1,
    '--replica_config_num_pipeline_stages': 1,
    '--request_generator_config_type': 'trace_replay',
    '--trace_request_generator_config_trace_file': trace,
    '--trace_request_generator_config_max_tokens': LONGEST,
    '--replica_scheduler_config_type': 'sarathi',
    '--sarathi_scheduler_config_batch_size_cap': SEQUENCES,
    '--sarathi_scheduler_config_chunk_size': CHUNK,
    '--metrics_config_output_dir': folder,
    // A small forest and the chunk in use make ready in seconds; a step of the simulation looks up a table whatever its size.
    [`${predictor}_prediction_max_prefill_chunk_size`]: CHUNK,
    [`${predictor}_prediction_max_batch_size`]: SEQUENCES,
    [`${predictor}_prediction_max_tokens_per_request`]: LONGEST,
    [`${predictor}_num_estimators`]: 20,
    [`${predictor}_max_depth`]: 16,
    [`${predictor}_min_samples_split`]: 2,
    [`${predictor}_k_fold_cv_splits`]: 2,
    [`${predictor}_num_training_job_threads`]: 1,
  }
  const words = Object.entries(given).flatMap(([name, value]) => [name, String(value)])
  const path = [vidur, process.env.PYTHONPATH].filter((each) => each !== undefined).join(':')
  const ran = spawnSync(values.python, [join(import.meta.dirname, 'run-vidur.py'), ...words], {
    cwd: vidur,
    env: { ...process.env, PYTHONPATH: path, WANDB_MODE: 'disabled' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  rmSync(folder, { recursive: true })
  if (ran.status !== 0) throw new Error(`Vidur did not run: ${ran.stderr || ran.error?.message}`)
  const said: TimedRun = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '')
  return said
}

/** The first run, before the compiler has warmed up. */
function runIronlaw(longestRun: number): TimedRun {
  const replica = {
    ...servedReplica({ model: 'Llama-3.1-8B', on: 'a100-80gb-sxm' }),
    tokensPerStep: CHUNK,
    sequencesMost: SEQUENCES,
    longestRun,
  }
  const rule = { replica, replicas: 1, router: 'round-robin' } as const
  const trace = traceOf(rows)
  const before = process.cpuUsage()
  const { duration_s } = simulateServing(rule, tracedArrivals(trace), { seed: 1 })
  const { user, system } = process.cpuUsage(before)
  return { cpu_s: (user + system) / 1e6, simulated_s: duration_s }
}
