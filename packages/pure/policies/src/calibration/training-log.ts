// The log of a training program: how long its steps took and what it reached.
// Megatron-LM prints per interval `iteration 43/ 100 | ... | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8
// | ... | global batch size: 128 | ...` (megatron/training/training.py); older versions print no throughput.
// torchtitan prints `step: 4 loss: ... memory: 66.91GiB(37.51%) tps: 10,050 tflops: 314.71 mfu: 13.99%`, tps per device
// (torchtitan/components/metrics.py), once for every rank that logs.

export type TrainingLog = {
  readonly by: 'Megatron-LM' | 'torchtitan'
  /** Of each logged step, without the first ones, which compile and warm up. */
  readonly steps: readonly LoggedStep[]
}

type LoggedStep = {
  readonly step: number
  readonly seconds?: number
  /** Per device. */
  readonly tokens_per_s?: number
  readonly flop_per_s?: number
  readonly memory_bytes?: number
}

export type ImportedLog = { readonly ok: true; readonly log: TrainingLog } | { readonly ok: false; readonly reason: string }

/** Steps that warm up: kernels are chosen, graphs compiled, allocators filled. */
const WARM_UP = 2
const LEAST = 3
/** Colours of a terminal, which torchtitan prints by default. */
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g')

export function parseTrainingLog(text: string): ImportedLog {
  const lines = text.replaceAll(COLOURS, '').split('\n')
  const megatron = lines.flatMap((line) => megatronStep(line) ?? [])
  const titan = lines.flatMap((line) => titanStep(line) ?? [])
  const found = megatron.length >= titan.length ? megatron : titan
  if (found.length === 0)
    return { ok: false, reason: 'no line of Megatron-LM ("elapsed time per iteration (ms): ...") nor of torchtitan ("step: ... tps: ...")' }
  // Ranks that log the same step say the same; the last word counts.
  const steps = [...new Map(found.map((each) => [each.step, each])).values()].slice(WARM_UP)
  if (steps.length < LEAST) return { ok: false, reason: `${steps.length} steps after the first ${WARM_UP}, fewer than ${LEAST}` }
  return { ok: true, log: { by: found === megatron ? 'Megatron-LM' : 'torchtitan', steps } }
}

const number = (text: string | undefined): number | undefined => {
  const value = text === undefined ? Number.NaN : Number(text.replaceAll(',', ''))
  return Number.isFinite(value) && value > 0 ? value : undefined
}

function megatronStep(line: string): LoggedStep | undefined {
  const step = number(/iteration\s+(\d+)\s*\//.exec(line)?.[1])
  const elapsed_ms = number(/elapsed time per iteration \(ms\):\s*([\d.]+)/.exec(line)?.[1])
  if (step === undefined || elapsed_ms === undefined) return undefined
  const reached = number(/throughput per GPU \(TFLOP\/s\/GPU\):\s*([\d.]+)/.exec(line)?.[1])
  return { step, seconds: elapsed_ms / 1000, ...(reached !== undefined && { flop_per_s: reached * 1e12 }) }
}

function titanStep(line: string): LoggedStep | undefined {
  const step = number(/\bstep:\s*(\d+)/.exec(line)?.[1])
  const tokens_per_s = number(/\btps:\s*([\d,.]+)/.exec(line)?.[1])
  if (step === undefined || tokens_per_s === undefined) return undefined
  const reached = number(/\btflops:\s*([\d,.]+)/.exec(line)?.[1])
  const memory = number(/\bmemory:\s*([\d.]+)GiB/.exec(line)?.[1])
  return {
    step,
    tokens_per_s,
    ...(reached !== undefined && { flop_per_s: reached * 1e12 }),
    ...(memory !== undefined && { memory_bytes: memory * 2 ** 30 }),
  }
}
