// One GGUF against PyTorch, on the same windows of tokens.

import { IronlawError } from '@ironlaw/contracts'
import type { VariantProof } from '@ironlaw/contracts/model-version'
import { measure, tokenise } from '@ironlaw/engines/measure'
import * as z from 'zod'

export type Reference = { readonly loss_nats: number; readonly last_logits: readonly Float32Array[] }
export type ProofInputs = { readonly windows: readonly (readonly number[])[]; readonly reference: Reference; readonly threads: number }

const PROMPTS = 100
const LONGEST_WINDOW = 512
const KNOWN_PROMPT = 'The quick brown fox'
const KNOWN_TOKENS = 16

type WindowRequest = { readonly file: string; readonly context: number; readonly text: string | undefined }

/** A hundred windows spread evenly over the text; without a text, tokens drawn by a fixed rule, which any model must answer alike. */
export async function windowsOf({ file, context, text = '' }: WindowRequest): Promise<readonly (readonly number[])[]> {
  const length = Math.min(context, LONGEST_WINDOW)
  const { tokens, vocabulary } = await tokenise(file, text)
  if (tokens.length >= length * 2) {
    const count = Math.min(PROMPTS, Math.floor(tokens.length / length))
    const every = Math.floor((tokens.length - length) / Math.max(1, count - 1))
    return Array.from({ length: count }, (_, index) => tokens.slice(index * every, index * every + length))
  }
  let state = 1
  // A linear congruential generator (Numerical Recipes): what matters is that it is the same everywhere.
  const nextToken = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % vocabulary
  return Array.from({ length: PROMPTS }, () => Array.from({ length }, nextToken))
}

const HEAD_BYTES = 8
const TENSOR = z.object({ shape: z.array(z.int().nonnegative()), data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]) })
const HEADER = z.object({ last: TENSOR, loss: TENSOR })

/** Of the safetensors file that the exporter writes: eight bytes of length, JSON, data; both tensors are of 32-bit floats. */
export function referenceOf(file: Buffer): Reference {
  const length = file.length < HEAD_BYTES ? Number.POSITIVE_INFINITY : Number(file.readBigUInt64LE(0))
  if (length > file.length - HEAD_BYTES) throw unreadable('its header is longer than the file')
  const header = HEADER.parse(JSON.parse(file.toString('utf8', HEAD_BYTES, HEAD_BYTES + length)))
  const data = file.subarray(HEAD_BYTES + length)
  const [rows = 0, vocabulary = 0] = header.last.shape
  const last = floatsOf(header.last, data)
  const losses = floatsOf(header.loss, data)
  return {
    loss_nats: mean(losses),
    last_logits: Array.from({ length: rows }, (_, row) => last.subarray(row * vocabulary, (row + 1) * vocabulary)),
  }
}

/** The shape decides how much is read, so it must agree with what the file holds. */
function floatsOf({ shape, data_offsets: [from, to] }: z.output<typeof TENSOR>, data: Buffer): Float32Array {
  const count = shape.reduce((product, size) => product * size, 1)
  if (to > data.length || to - from !== count * Float32Array.BYTES_PER_ELEMENT || (count === 0 && shape.some((size) => size > 0)))
    throw unreadable(`a tensor of shape ${shape.join(' x ').slice(0, 80)} does not lie at bytes ${from} to ${to} of ${data.length}`)
  return new Float32Array(Uint8Array.from(data.subarray(from, to)).buffer)
}

const unreadable = (reason: string): IronlawError => new IronlawError('IL_FILE', { path: 'reference.safetensors', reason })

export async function proveVariant(gguf: { readonly path: string; readonly weights: string }, held: ProofInputs): Promise<VariantProof> {
  const { windows, reference, threads } = held
  const options = { file: gguf.path, threads, windows, prompt: KNOWN_PROMPT, continue_tokens: KNOWN_TOKENS }
  const { losses_nats, last_logits, continuation } = await measure(options)
  const differences = last_logits.flatMap((logits, row) =>
    Array.from(logits, (logit, token) => Math.abs(logit - (reference.last_logits[row]?.[token] ?? Number.NaN))),
  )
  const same = last_logits.filter((logits, row) => firstChoice(logits) === firstChoice(reference.last_logits[row] ?? new Float32Array()))
  const loss_nats = mean(losses_nats)
  return {
    weights: gguf.weights,
    loss_nats,
    perplexity: Math.exp(loss_nats),
    perplexity_change: Math.expm1(loss_nats - reference.loss_nats),
    logit_difference_max: differences.reduce((most, difference) => Math.max(most, difference), 0),
    logit_difference_mean: mean(differences),
    same_first_choice: same.length / windows.length,
    known: { prompt: KNOWN_PROMPT, text: continuation },
  }
}

const mean = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0) / values.length

const firstChoice = (logits: Float32Array): number => logits.indexOf(logits.reduce((most, logit) => Math.max(most, logit), -Infinity))
