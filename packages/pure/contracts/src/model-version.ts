// A version of a model: files that can be served, their origin, and how they were verified. It is stored next to them as
// `model-version.json`, written by `ironlaw export` and read when the model is served; a separate entry point, like everything that loads
// zod.

import * as z from 'zod'
import { canonicalJson, type Json } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

export const MODEL_VERSION_FILE = 'model-version.json'

/** Variable of an engine: the SHA-256 that the record of the model must have. Set for replicas whose revision names a version. */
export const MODEL_VERSION_DIGEST = 'IRONLAW_MODEL_VERSION_SHA256'

/** Variable of an engine: the artifact of that version, which is restored to the path of the model where nothing is there. */
export const SERVED_VERSION = 'IRONLAW_MODEL_VERSION'

/** In the command of a revision that names a version: the id of its artifact. */
export const VERSION_PLACE = '{version}'

const digest = z.string().regex(/^[0-9a-f]{64}$/)

export const MODEL_FILE = z.object({
  path: z.string().describe('Relative to this document'),
  bytes: z.int(),
  sha256: digest,
  weights: z.string().exactOptional().describe('Format of the weights in a GGUF file: f32, f16, q8_0, q4_0'),
})

/** One kind of weights against PyTorch in 32 bits, on the same tokens. */
export const VARIANT_PROOF = z.object({
  weights: z.string(),
  loss_nats: z.number().describe('Mean over all positions, nats per token'),
  perplexity: z.number(),
  perplexity_change: z.number().describe('Relative to PyTorch'),
  logit_difference_max: z.number().describe('Largest difference of a logit after the last token of a prompt'),
  logit_difference_mean: z.number(),
  same_first_choice: z.number().describe('Share of prompts whose most likely next token is the same'),
  known: z.object({ prompt: z.string(), text: z.string() }).describe('A prompt and its most likely continuation: the deep health check'),
})

export const MODEL_VERSION = z.object({
  apiVersion: z.literal('ironlaw/v1'),
  kind: z.literal('ModelVersion'),
  id: z.string().describe('Digest of its files and their origin'),
  name: z.string(),
  created_at: z.number().describe('Seconds since 1970-01-01 UTC'),
  files: z.array(MODEL_FILE),
  lineage: z
    .object({
      run: z.string().nullish(),
      plan: z.string().nullish(),
      attempt: z.int().exactOptional(),
      step: z.int().exactOptional(),
      tokens: z.int().exactOptional(),
      data: z.record(z.string(), z.unknown()).exactOptional(),
      code: z.record(z.string(), z.unknown()).exactOptional(),
    })
    .catchall(z.unknown())
    .describe('Unknown values are absent or null'),
  evaluation: z
    .object({
      text: z.object({ sha256: digest, bytes: z.int() }).nullable().describe('The held-out text; null when tokens were drawn by a seed'),
      prompts: z.int(),
      tokens: z.int(),
      tolerance: z.number().describe('Largest difference of a logit that the 32-bit file may have'),
      pytorch: z.object({ loss_nats: z.number(), perplexity: z.number() }),
      variants: z.array(VARIANT_PROOF),
    })
    .nullable()
    .describe('Null when there is no file that this engine reads'),
})

export type ModelVersion = z.output<typeof MODEL_VERSION>
export type ModelFile = z.output<typeof MODEL_FILE>
export type VariantProof = z.output<typeof VARIANT_PROOF>

export const modelVersionId = (files: readonly ModelFile[], lineage: Json): string =>
  `mv-${sha256(canonicalJson({ files: files.map(({ path, sha256: of }) => [path, of]), lineage })).slice(0, 16)}`
