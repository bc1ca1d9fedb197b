// `ironlaw key`: a key for clients of a gateway. The secret is shown once; a gateway knows its hash only.

import { hash, randomBytes } from 'node:crypto'
import type { Answer } from '../answer.ts'

const SECRET_BYTES = 32

export function keyAnswer(tenant: string): Answer {
  const key = `sk-${randomBytes(SECRET_BYTES).toString('base64url')}`
  const entry = { sha256: hash('sha256', key), tenant }
  return {
    json: { key, entry },
    text: () =>
      [
        `API key (shown only once): ${key}`,
        '',
        'Add this under "keys:" in your Access document, and apply it with "ironlaw apply":',
        `  - { sha256: ${entry.sha256}, tenant: ${tenant} }`,
      ].join('\n'),
  }
}
