import { IronlawError } from '@ironlaw/contracts'
import { expect, test } from 'vitest'
import { builtInCatalog } from './catalog.ts'
import { entry, lookup } from './lookup.ts'

test.each([
  ['h100', 'h100-sxm'],
  ['H100-SXM', 'h100-sxm'],
  ['H100 SXM', 'h100-sxm'],
  ['rtx_4090', 'rtx-4090'],
  ['Trillium', 'tpu-v6e'],
])('%s is %s', (name, id) => {
  expect(lookup(builtInCatalog, 'accelerators', name)).toMatchObject({ ok: true, entry: { id } })
})

test.each([
  ['h10-sxm', 'h100-sxm'],
  ['b2000', 'b200'],
  ['mi30x', 'mi300x'],
  ['tpu', 'tpu-v4'],
  ['trainium4', 'trainium-1'],
])('%s is unknown and near to %s', (name, near) => {
  expect(lookup(builtInCatalog, 'accelerators', name)).toMatchObject({ ok: false, name, nearest: expect.arrayContaining([near]) })
})

test('what resembles nothing has no suggestions', () => {
  expect(lookup(builtInCatalog, 'accelerators', 'zzzzzzzz')).toMatchObject({ ok: false, nearest: [] })
})

const lookupOf = (name: string) => () => entry(builtInCatalog, 'nodes', name)

test('the throwing form says what to type', () => {
  expect(lookupOf('dgx-h10')).toThrow(IronlawError)
  expect(lookupOf('dgx-h10')).toThrow(
    expect.objectContaining({
      code: 'IL_UNKNOWN_ENTRY',
      message: 'the catalog has no node "dgx-h10"',
      next: expect.stringContaining('dgx-h100'),
    }),
  )
  expect(lookupOf('zzzzzzzz')).toThrow(expect.objectContaining({ next: 'run "ironlaw catalog" for the list' }))
})
