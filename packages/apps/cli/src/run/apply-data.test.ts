import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { applyData } from './apply-data.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-apply-data-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('a spec that is too long for a run is refused with the limit and what to do', async () => {
  const file = join(directory, 'long.json')
  const from = Array.from({ length: 60 }, (_, i) => ({
    name: `source-${i}`,
    files: `raw/{${Array.from({ length: 200 }, (__, part) => `part-${part}`).join(',')}}.jsonl`,
  }))
  writeFileSync(file, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Data', name: 'long', from, steps: [] }))
  await expect(applyData(file, { yes: true })).rejects.toMatchObject({
    code: 'IL_SPEC',
    message: expect.stringMatching(/long\.json: from: the spec has \d+ characters as JSON; a run takes at most 65536$/),
    next: expect.stringContaining('name directories or patterns'),
  })
})
