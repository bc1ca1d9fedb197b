// Exports trained weights as a version of a model: Python writes the files, llama.cpp and PyTorch get the same prompts, and the comparison
// is stored next to the files. An export whose answers differ from those of the trained model fails.

import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sha256OfFile } from '@ironlaw/artifacts/signing'
import { IronlawError, type Json } from '@ironlaw/contracts'
import { MODEL_VERSION_FILE, type ModelFile, type ModelVersion, modelVersionId } from '@ironlaw/contracts/model-version'
import * as z from 'zod'
import { type ProofInputs, proveVariant, referenceOf, windowsOf } from './engine-proof.ts'

const PYTHON_SDK = resolve(import.meta.dirname, '../../../../python')

export type ExportOptions = {
  readonly source: string
  readonly to: string
  readonly name: string
  readonly python: string
  readonly format: string
  readonly quantise: string
  readonly config?: string
  readonly heldOut?: string
  /** What only the caller knows: run, plan, data, code. */
  readonly lineage: Readonly<Record<string, Json>>
  readonly seeded?: string
}

const EXPORTER_OUTPUT = z.object({
  files: z.array(z.object({ path: z.string(), weights: z.string().optional() })),
  lineage: z.record(z.string(), z.json()),
  context: z.int(),
})

/** Sums of floats in another order make 0.00003 with the reference trainer, more in larger models; a wrong permutation makes units. */
const TOLERANCE = 0.02

export async function exportModel(options: ExportOptions, say: (line: string) => void): Promise<ModelVersion> {
  const { to, name, format, quantise } = options
  const written = EXPORTER_OUTPUT.parse(
    JSON.parse(
      await runExporter(options, [
        'write',
        ...sourceFlags(options),
        '--to',
        to,
        '--name',
        name,
        '--format',
        format,
        '--quantise',
        quantise,
      ]),
    ),
  )
  const files: ModelFile[] = []
  for (const { path, weights } of written.files) {
    const digest = { path, bytes: (await stat(join(to, path))).size, sha256: await sha256OfFile(join(to, path)) }
    files.push({ ...digest, ...(weights !== undefined && { weights }) })
    say(`${path}  ${digest.bytes} bytes`)
  }
  const lineage = { ...written.lineage, ...options.lineage }
  const evaluation = await evaluateExport(options, { files, context: written.context, say })
  const version: ModelVersion = {
    apiVersion: 'ironlaw/v1',
    kind: 'ModelVersion',
    id: modelVersionId(files, lineage),
    name,
    created_at: Date.now() / 1000,
    files,
    lineage,
    evaluation,
  }
  await writeFile(join(to, MODEL_VERSION_FILE), `${JSON.stringify(version, undefined, 2)}\n`)
  return version
}

type ExportedFiles = { readonly files: readonly ModelFile[]; readonly context: number; readonly say: (line: string) => void }

async function evaluateExport(options: ExportOptions, { files, context, say }: ExportedFiles): Promise<ModelVersion['evaluation']> {
  const ggufs = files.flatMap(({ path, weights }) => (weights === undefined ? [] : [{ path: join(options.to, path), weights }]))
  const [whole] = ggufs
  if (!whole) return null
  const text = options.heldOut === undefined ? undefined : await readFile(options.heldOut)
  const windows = await windowsOf({ file: whole.path, context, text: text?.toString('utf8') })
  const scratch = await mkdtemp(join(tmpdir(), 'ironlaw-export-'))
  const [tokens, answers] = [join(scratch, 'tokens.json'), join(scratch, 'reference.safetensors')]
  await writeFile(tokens, JSON.stringify(windows))
  await runExporter(options, ['reference', ...sourceFlags(options), '--tokens', tokens, '--to', answers])
  const held: ProofInputs = { windows, reference: referenceOf(await readFile(answers)), threads: Math.ceil(availableParallelism() / 2) }
  await rm(scratch, { recursive: true })
  const variants = []
  for (const gguf of ggufs) {
    const proof = await proveVariant(gguf, held)
    say(
      `${gguf.weights}: logits within ${proof.logit_difference_max.toPrecision(2)} of PyTorch's, perplexity ${proof.perplexity.toFixed(4)}`,
    )
    if (gguf.weights === 'f32' && !(proof.logit_difference_max <= TOLERANCE))
      throw new IronlawError('IL_EXPORT_DIFFERS', { file: gguf.path, difference: proof.logit_difference_max, tolerance: TOLERANCE })
    variants.push(proof)
  }
  const { loss_nats } = held.reference
  return {
    text: text === undefined ? null : { sha256: hash('sha256', text), bytes: text.length },
    prompts: windows.length,
    tokens: windows.reduce((sum, window) => sum + window.length, 0),
    tolerance: TOLERANCE,
    pytorch: { loss_nats, perplexity: Math.exp(loss_nats) },
    variants,
  }
}

const sourceFlags = ({ source, config, seeded }: ExportOptions): readonly string[] => [
  source,
  ...(config === undefined ? [] : ['--config', config]),
  ...(seeded === undefined ? [] : ['--seeded', seeded]),
]

const MOST_OUTPUT_BYTES = 16_777_216

/** What it printed. A refusal of its own becomes ours; anything else is unexpected and shows as it is. */
async function runExporter({ python, source }: ExportOptions, flags: readonly string[]): Promise<string> {
  const { promise, resolve: settle, reject } = Promise.withResolvers<string>()
  const environment = { ...process.env, PYTHONPATH: PYTHON_SDK }
  execFile(python, ['-m', 'ironlaw.export', ...flags], { env: environment, maxBuffer: MOST_OUTPUT_BYTES }, (problem, output, errors) => {
    if (!problem) settle(output)
    else reject(new IronlawError('IL_EXPORT', { source, reason: errors.trim().split('\n').at(-1) || problem.message }, { cause: problem }))
  })
  return promise
}
