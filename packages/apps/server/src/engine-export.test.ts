import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MODEL_VERSION, MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { afterAll, describe, expect, test } from 'vitest'
import { exportModel } from './engine-export.ts'
import { servedFile } from './engine-model.ts'

const PYTHON = process.env['IRONLAW_PYTHON'] ?? '/usr/bin/python3'
const torch = spawnSync(PYTHON, ['-c', 'import torch, numpy']).status === 0
if (!torch) console.warn('exporting is not tested: PyTorch is not installed')

describe.skipIf(!torch)('an export', () => {
  const to = mkdtempSync(join(tmpdir(), 'ironlaw-export-test-'))
  afterAll(() => rmSync(to, { recursive: true }))
  const config = join(to, 'small.config.json')
  writeFileSync(
    config,
    JSON.stringify({
      model_type: 'llama',
      vocab_size: 256,
      hidden_size: 64,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      intermediate_size: 96,
      max_position_embeddings: 64,
      rms_norm_eps: 1e-5,
      tie_word_embeddings: false,
    }),
  )
  const options = { source: config, seeded: '1', to, name: 'small', python: PYTHON, format: 'gguf,safetensors', quantise: 'q8_0,q4_0' }

  test('answers as PyTorch does, and its record says how exactly and where from', async () => {
    const version = await exportModel({ ...options, lineage: { run: 'r-1', plan: 'p-1' } }, () => undefined)
    expect(MODEL_VERSION.parse(JSON.parse(readFileSync(join(to, MODEL_VERSION_FILE), 'utf8')))).toEqual(version)
    expect(version.lineage).toMatchObject({ run: 'r-1', plan: 'p-1', seed: 1 })
    const { evaluation } = version
    expect(evaluation).toMatchObject({ text: null, prompts: 100 })
    const [whole, eight, four] = evaluation?.variants ?? []
    expect(whole).toMatchObject({ weights: 'f32', same_first_choice: 1 })
    expect(whole?.logit_difference_max).toBeLessThan(0.001)
    expect(Math.abs(whole?.perplexity_change ?? 1)).toBeLessThan(1e-5)
    expect(eight?.logit_difference_mean).toBeGreaterThan(whole?.logit_difference_mean ?? Infinity)
    expect(four?.logit_difference_mean).toBeGreaterThan(eight?.logit_difference_mean ?? Infinity)
  }, 60_000)

  test('what is served is what was exported, byte by byte', async () => {
    expect(await servedFile(to, {})).toMatchObject({
      file: join(to, 'model-q8_0.gguf'),
      id: 'small',
      known: { prompt: expect.any(String) },
      sha256: hash('sha256', readFileSync(join(to, 'model-q8_0.gguf'))),
    })
    expect(await servedFile(to, { weights: 'q4_0' })).toMatchObject({ file: join(to, 'model-q4_0.gguf') })
    expect(await servedFile(join(to, 'model-f32.gguf'), {})).toMatchObject({ id: 'model-f32' })
    await expect(servedFile(join(to, 'nowhere'), {})).rejects.toMatchObject({ code: 'IL_FILE' })
    await expect(servedFile(to, { weights: 'f16' })).rejects.toThrow(/no GGUF with f16/)
    const bytes = readFileSync(join(to, 'model-q4_0.gguf'))
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(join(to, 'model-q4_0.gguf'), bytes)
    await expect((await servedFile(to, { weights: 'q4_0' })).check()).rejects.toThrow(/SHA-256/)
  })

  test('a source that is none is refused with what Python says', async () => {
    await expect(exportModel({ ...options, source: join(to, 'nothing'), lineage: {} }, () => undefined)).rejects.toMatchObject({
      code: 'IL_EXPORT',
    })
  })
})
