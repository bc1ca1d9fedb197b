// The measuring program itself, with PyTorch, on this machine: few shapes, short windows.

import { spawnSync } from 'node:child_process'
import { measuredMachine } from '@ironlaw/policies/calibration'
import { expect, test } from 'vitest'
import { measureLocally } from './local-job.ts'
import { type MeasuredLine, measuredLine, measurementsOf } from './measured-rows.ts'

const PYTHON = '/usr/bin/python3'
const present = spawnSync(PYTHON, ['-c', 'import torch']).status === 0

test.skipIf(!present)('two processes measure what they get alone and sharing the machine', { timeout: 60_000 }, async () => {
  const lines: MeasuredLine[] = []
  const given = ['--quick', '--windows', '2', '--window-ms', '2']
  for await (const line of measureLocally({ python: PYTHON, processes: 2, arguments: given, environment: {} })) lines.push(line)
  const found = measurementsOf(lines)
  expect(found?.machine.backend).toMatch(/gloo|nccl/)
  const { sharing, storage } = measuredMachine(found?.machine ?? { element_bytes: 4 }, found?.rows ?? [])
  expect(Object.keys(sharing)).toEqual(['1', '2'])
  expect(Object.keys(sharing['2']?.collectives ?? {})).toEqual(['all-reduce', 'all-gather', 'reduce-scatter'])
  for (const node of Object.values(sharing)) {
    expect(node.copy?.value).toBeGreaterThan(1e7)
    expect(node.optimizer?.value).toBeGreaterThan(1e4)
    expect(node.launch?.forward_s.value).toBeGreaterThan(1e-6)
  }
  expect(storage?.write.value).toBeGreaterThan(1e5)
})

test('the error of a failed program includes its output', { timeout: 60_000 }, async () => {
  const job = measureLocally({ python: PYTHON, processes: 1, arguments: ['--no-such-flag'], environment: {} })
  await expect(Array.fromAsync(job)).rejects.toThrow(/measuring failed.*(unrecognized arguments|No module named)/s)
})

test('other output is skipped, and an incomplete job yields nothing', () => {
  expect(measuredLine('step 3 loss 1.2')).toBeUndefined()
  const row = measuredLine('ironlaw-measured {"measured": "copy", "bytes": 8, "ranks": 1, "seconds": {"a": [0.1]}}')
  const machine = measuredLine(
    'ironlaw-measured {"measured": "machine", "device": "x", "processors": 1, "element_bytes": 4, "backend": "gloo", "torch": "2"}',
  )
  expect(row?.measured).toBe('copy')
  expect(machine && row && measurementsOf([machine, row])).toBeUndefined()
  expect(machine && row && measurementsOf([machine, row, row, machine, row, { measured: 'end', rows: 1 }])?.rows.length).toBe(1)
})
