// `npm run e2e:frameworks`: real frameworks under real plans on processors. torchtitan and DeepSpeed are planned, exported and started by
// `ironlaw apply`, and their own logs are compared with the plan; Megatron, which does not start without a GPU, only parses the
// exported arguments; scripts of Hugging Face, Accelerate and Lightning report their steps through one line. Prints the evidence for each.

import { strict as assert } from 'node:assert'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { acceptsArguments, PLANS_FOR_MEGATRON, vllmAccepts } from './arguments.ts'
import { Bed, type FinishedRun } from './bed.ts'
import { frameworkPython } from './environment.ts'
import { deployVllm } from './vllm.ts'

type Proof = { readonly framework: string; readonly how: string; readonly shown: string }

const found = frameworkPython()
if ('missing' in found) {
  console.log(`skipped: ${found.missing}`)
  process.exit(0)
}
const { python } = found
const bed = new Bed(python)
const proofs: Proof[] = []
const begun = Date.now()

/** One at a time, each with its time: the machine may be busy with other things. */
async function recordProof(framework: string, how: string, show: () => Promise<string>): Promise<void> {
  const shown = await show()
  proofs.push({ framework: `${framework} ${bed.version(framework)}`, how, shown })
  console.log(`${((Date.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${framework}: ${shown}`)
}

const expectAsPlanned = ({ ledger }: FinishedRun): void => assert.deepEqual(ledger.deviations, [], 'the ledger names deviations')

try {
  await bed.start()
  await recordProof('torchtitan', 'started by apply, 2 ranks, gloo', runTorchTitan)
  await recordProof('deepspeed', 'started by apply, 2 ranks, gloo', runDeepSpeed)
  for (const [framework, program] of [
    ['transformers', 'hugging_face.py'],
    ['accelerate', 'accelerated.py'],
    ['lightning', 'lit.py'],
  ] as const)
    await recordProof(framework, 'callback in a script of its own', () => runJoined(program))
  await recordProof('megatron-core', 'configuration classes take the exported arguments', async () => acceptsArguments(python, {}))
  const checkout = process.env['MEGATRON_LM']
  if (checkout !== undefined && existsSync(checkout))
    await recordProof('megatron-core', 'argument parser of the Megatron-LM checkout', async () =>
      acceptsArguments(python, { MEGATRON_LM: checkout }),
    )
  const vllm = join(dirname(python), '../vllm')
  if (existsSync(vllm)) {
    const shown = vllmAccepts(python, vllm)
    proofs.push({ framework: 'vLLM 0.32.0', how: 'argument parser', shown })
  }
  const deployed = await deployVllm(python)
  if (deployed !== undefined)
    proofs.push({ framework: 'vLLM 0.32.0', how: 'deployed by apply, rolled out, rolled back, drained', shown: deployed })
} finally {
  await bed.stop()
}
console.log(`\n| framework | proven by | shown |\n| --- | --- | --- |`)
for (const { framework, how, shown } of proofs) console.log(`| ${framework} | ${how} | ${shown} |`)
console.log(`\n${PLANS_FOR_MEGATRON.length} plans for Megatron; ${((Date.now() - begun) / 1000).toFixed(0)} s in all`)

async function runTorchTitan(): Promise<string> {
  const finished = await bed.applyRun({
    name: 'titan',
    framework: 'torchtitan',
    strategy: { tensor: 1, data: 2, shards: 'weights', microbatch: 2 },
    program: [
      'torchtitan_on_cpu.py',
      '--experimental.custom_import',
      'ironlaw.integrations.torchtitan',
      '--metrics.log_freq',
      '1',
      '--model.hf_assets_path',
      '.',
      '--training.dataset',
      'c4_test',
      '--training.dataset_path',
      'documents',
    ],
  })
  expectAsPlanned(finished)
  const mesh = /Building device mesh with parallelism: (.*)/.exec(finished.log)?.[1]
  const batch = /local batch size 2, global batch size 8, gradient accumulation steps 2, sequence length 64/.exec(finished.log)?.[0]
  assert.match(mesh ?? '', /dp_replicate=1, dp_shard=2, cp=1, tp=1/)
  assert.ok(batch, 'its log does not confirm the batch')
  assert.equal(finished.ledger.steps, 3)
  return `its log: ${mesh}; ${batch}`
}

async function runDeepSpeed(): Promise<string> {
  const finished = await bed.applyRun({
    name: 'speed',
    framework: 'deepspeed',
    precision: 'bf16-mixed',
    strategy: { tensor: 1, data: 2, shards: 'gradients', microbatch: 2 },
    program: ['deepspeed_on_cpu.py', '--steps', '3'],
  })
  expectAsPlanned(finished)
  const setting = (name: string): string => new RegExp(`^.* ${name} \\.* (\\S+)`, 'm').exec(finished.log)?.[1] ?? 'nothing'
  const said = ['train_batch_size', 'train_micro_batch_size_per_gpu', 'gradient_accumulation_steps']
  assert.deepEqual(said.map(setting), ['8', '2', '2'])
  assert.equal(finished.ledger.running?.shards, 'gradients')
  assert.equal(finished.ledger.steps, 3)
  return `its log: ${said.map((name) => `${name} ${setting(name)}`).join(', ')}; engine: ZeRO-2`
}

async function runJoined(program: string): Promise<string> {
  const { ledger } = await bed.applyRun({
    name: program.replace(/\W.*$/, '').replaceAll('_', '-'),
    framework: 'sdk',
    devices: 1,
    strategy: { tensor: 1, data: 1, microbatch: 2 },
    program: [program, 'out'],
  })
  assert.equal(ledger.steps, 4)
  const { microbatch, globalBatch, precision } = ledger.running ?? {}
  const deviations = (ledger.deviations ?? []).map(({ field, planned, running }) => `${field} planned ${planned}, running ${running}`)
  return `${ledger.steps} steps; microbatch ${microbatch}, batch ${globalBatch}, ${precision}${deviations.length > 0 ? `; the ledger says first: ${deviations.join('; ')}` : ''}`
}
