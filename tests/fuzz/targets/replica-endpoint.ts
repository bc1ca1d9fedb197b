// The file in which a replica's job says its address; any job of the same user can write it.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { replicaAccess } from '@ironlaw/control/replica-access'
import { endpointFile } from '../../../packages/effects/control/src/deploy/replica-job.ts'
import type { Target } from '../target.ts'

const site = { runs: mkdtempSync(join(tmpdir(), 'ironlaw-fuzz-')) }
const file = endpointFile(site, 'r')
mkdirSync(dirname(file), { recursive: true })

export const target: Target = {
  grammar: 'text',
  seeds: [
    'http://127.0.0.1:8000\n',
    'http://127.0.0.1:8000\ntoken\n',
    'http://127.0.0.1:8000\ntoken\nproves\n',
    'http://[::1]:80/',
    'https://n1:1\n',
    '{"url":"http://n1:8000"}',
  ],
  words: ['http://', 'token', '\n', 'https:', 'file:///', '127.0.0.1', '@', ':0', ':65536', '%00', '\u0000', '\\', '?', '#'],
  run: async (input, mark) => {
    writeFileSync(file, input)
    const found = await replicaAccess(site).endpoint('r', { token: 'token', places: async () => [{ name: 'n1', address: '127.0.0.1' }] })
    if (found === undefined) return mark('nothing')
    if (typeof found === 'object' && 'refused' in found) return mark('refused')
    mark(new URL(typeof found === 'string' ? found : found.url).protocol)
  },
}
