import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readSiteDevices } from './site-devices.ts'

const directory = mkdtempSync(join(tmpdir(), 'site-devices-'))
const file = join(directory, 'accelerators.json')
afterAll(() => rmSync(directory, { recursive: true }))

test('a site says what it calls an accelerator and what one is capable of', () => {
  writeFileSync(
    file,
    '{"h100-sxm":{"gres":"gpu:h100","constraint":"nvlink","partition":"gpus","memory_GB":80,"link_domain":8},"l4":{"gres":"gpu"}}',
  )
  expect(readSiteDevices(file)).toEqual([
    { name: 'h100-sxm', kind: 'gpu:h100', constraint: 'nvlink', partition: 'gpus', memory_bytes: 80e9, linkDomain: 8 },
    { name: 'l4', kind: 'gpu' },
  ])
})

test.each([
  ['no JSON', '{', /accelerators\.json: the file: /],
  ['another shape', '[]', /the file: /],
  ['a name that Slurm would read as two', '{"a":{"gres":"gpu:h100,license:x"}}', /a\.gres: expected a name such as gpu:h100/],
  ['an unknown field', '{"a":{"gres":"gpu","memory":80}}', /a: .*memory/],
  ['no memory at all', '{"a":{"gres":"gpu","memory_GB":0}}', /a\.memory_GB: /],
])('%s is refused with the place of the problem', (_, text, message) => {
  writeFileSync(file, text)
  expect(() => readSiteDevices(file)).toThrow(message)
})

test('a file that is not there is named', () => {
  expect(() => readSiteDevices(join(directory, 'nothing.json'))).toThrow(/nothing\.json: there is no such file/)
})
