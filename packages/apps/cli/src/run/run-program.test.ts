import { parseTrainSpec, type TrainSpec } from '@ironlaw/contracts/train-spec'
import { planTraining } from '@ironlaw/planner'
import { expect, test } from 'vitest'
import { catalogFor } from '../catalog/catalog-source.ts'
import { trainingRequestFor } from '../plan/train-source.ts'
import { runProgram } from './run-program.ts'

const SPEC = {
  apiVersion: 'ironlaw/v1',
  kind: 'Train',
  name: 'small',
  model: 'Llama-3.1-8B',
  tokens: '1B tokens',
  sequence: 8192,
  globalBatch: 64,
  fleet: { accelerator: 'h100-sxm', count: 8 },
  precision: 'fsdp-mixed',
  strategy: { tensor: 1, pipeline: 1, context: 1, shards: 'weights', recompute: 'none', microbatch: 1 },
} as const

function programFor(spec: object, acceptsInexact = false): ReturnType<typeof runProgram> {
  const parsed: TrainSpec = parseTrainSpec(spec, 'train.yaml')
  const catalog = catalogFor(undefined)
  const { machine, wanted } = trainingRequestFor(catalog, parsed)
  const [best] = planTraining(catalog, machine, { ...wanted, keep: 1 }).plans
  if (!best || !parsed.run) throw new Error('nothing to run')
  return runProgram(best.plan, { run: parsed.run, directory: '/shared/specs', acceptsInexact })
}

test('torchtitan is started with the degrees and the batch of the plan, and with the overheads it was priced with', () => {
  const { argv, directory, files } = programFor({ ...SPEC, run: { program: ['train.py'], framework: 'torchtitan' } })
  expect(directory).toBe('/shared/specs')
  expect(argv.join(' ')).toContain('--parallelism.data_parallel_shard_degree 8')
  expect(argv).toContain('--compile.enable')
  expect(files?.['plan.toml']).not.toContain('Not expressed')
})

test('settings that the framework cannot follow are refused by name, and allowed when accepted', () => {
  const spec = { ...SPEC, precision: 'bf16-mixed', run: { program: ['train.py'], framework: 'torchtitan' } }
  expect(() => programFor(spec)).toThrow('precision bf16-mixed: torchtitan keeps sharded 32-bit weights alone')
  expect(programFor(spec, true).files?.['plan.toml']).toContain('# Not expressed: precision bf16-mixed')
})

test('what the framework cannot run is refused whatever is accepted', () => {
  const spec = { ...SPEC, fleet: { accelerator: 'tpu-v5p', count: 8 }, run: { program: ['train.py'], framework: 'megatron-core' } }
  expect(() => programFor(spec, true)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('does not run on tpu-v5p'),
      next: expect.stringMatching(/^choose another run\.framework, or decide otherwise under "strategy";/),
    }),
  )
})

test('an argument that the plan decides is not taken from the user as well', () => {
  const spec = { ...SPEC, run: { program: ['train.py', '--training.seq_len', '4096'], framework: 'torchtitan' } }
  expect(() => programFor(spec)).toThrow('run.program sets --training.seq_len')
})

test('environment variables of the user override those of the plan', () => {
  const spec = { ...SPEC, run: { program: ['train.py'], environment: { IRONLAW_PLAN: 'mine' } } }
  expect(programFor(spec).environment['IRONLAW_PLAN']).toBe('mine')
})
