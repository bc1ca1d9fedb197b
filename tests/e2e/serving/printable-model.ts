// A model of random weights whose every token is one printable character, so that a client can count tokens as they come. With all 256
// bytes most answers are broken characters, which a host holds back until they are whole.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const PYTHON = process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3'
const SDK = resolve(import.meta.dirname, '../../../python')
const CHARACTERS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
const LAYOUT = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
const TOKENIZER = {
  version: '1.0',
  added_tokens: [{ id: CHARACTERS.length, content: '<end>', special: true }],
  pre_tokenizer: LAYOUT,
  decoder: LAYOUT,
  model: { type: 'BPE', vocab: Object.fromEntries(CHARACTERS.map((character, id) => [character, id])), merges: [] },
}
/** 25 million weights: what one core generates a few hundred tokens a second with. */
const CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: CHARACTERS.length + 1,
  eos_token_id: CHARACTERS.length,
  hidden_size: 512,
  num_hidden_layers: 8,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  intermediate_size: 1536,
  max_position_embeddings: 2048,
  rope_theta: 10_000,
  rms_norm_eps: 1e-5,
  tie_word_embeddings: false,
}

/** The path of its GGUF. */
export function printableModel(): string {
  const directory = join(tmpdir(), 'ironlaw-seeded-models', 'printable-v1')
  const file = join(directory, 'model-q8_0.gguf')
  if (existsSync(file)) return file
  mkdirSync(dirname(directory), { recursive: true })
  const staged = mkdtempSync(`${directory}-`)
  const config = join(staged, 'config.json')
  writeFileSync(config, JSON.stringify(CONFIG))
  writeFileSync(join(staged, 'tokenizer.json'), JSON.stringify(TOKENIZER))
  const argv = ['-m', 'ironlaw.export', 'write', config, '--seeded', '1', '--to', staged, '--format', 'gguf', '--quantise', 'q8_0']
  execFileSync(PYTHON, argv, { env: { ...process.env, PYTHONPATH: SDK }, stdio: ['ignore', 'ignore', 'inherit'] })
  // Two that make it at the same time make the same file; the first one stays.
  if (existsSync(directory)) rmSync(staged, { recursive: true })
  else renameSync(staged, directory)
  return file
}
