// Property tests draw other cases every day, the same ones all day, so that a red run can be had again; FC_SEED draws those of another day.
// Nothing of the user's home is read or written: neither measurements nor contexts may change what tests expect.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc } from '@fast-check/vitest'

const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? today) })

// Once for a process, which runs many files.
if (!process.env['HOME']?.startsWith(join(tmpdir(), 'ironlaw-home-'))) {
  const home = mkdtempSync(join(tmpdir(), 'ironlaw-home-'))
  process.env['HOME'] = home
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
}
