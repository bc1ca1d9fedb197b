// A small model of random weights for tests and benchmarks, made by the exporter from a seed and kept for the next time.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const PYTHON = process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3'
const SDK = resolve(import.meta.dirname, '../../../../../python')

export const hasTorch = (): boolean => spawnSync(PYTHON, ['-c', 'import torch, numpy']).status === 0

export type SeededShape = { readonly hidden: number; readonly layers: number; readonly heads: number; readonly context: number }

export const SMALLEST: SeededShape = { hidden: 64, layers: 2, heads: 4, context: 128 }

/** The path of its GGUF. */
export function seededModel({ hidden, layers, heads, context }: SeededShape, weights: 'f32' | 'q8_0' = 'f32'): string {
  const directory = join(tmpdir(), 'ironlaw-seeded-models', `v1-${hidden}-${layers}-${heads}-${context}-${weights}`)
  const file = join(directory, `model-${weights}.gguf`)
  if (existsSync(file)) return file
  mkdirSync(dirname(directory), { recursive: true })
  const staged = mkdtempSync(`${directory}-`)
  const config = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 256,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: heads / 2,
    intermediate_size: 3 * hidden,
    max_position_embeddings: context,
    rope_theta: 10_000,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: false,
  }
  writeFileSync(join(staged, 'config.json'), JSON.stringify(config))
  execFileSync(
    PYTHON,
    [
      '-m',
      'ironlaw.export',
      'write',
      join(staged, 'config.json'),
      '--seeded',
      '1',
      '--to',
      staged,
      '--format',
      'gguf',
      '--quantise',
      weights,
    ],
    { env: { ...process.env, PYTHONPATH: SDK }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  // Two that make it at the same time make the same file; the first one stays.
  if (existsSync(directory)) rmSync(staged, { recursive: true })
  else renameSync(staged, directory)
  return file
}
