// `ironlaw key`: a key for clients of a gateway. The secret is shown once; a gateway stores only its hash.

import { hash, randomBytes } from 'node:crypto'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'

const SECRET_BYTES = 32

function newKey(tenant: string) {
  const key = `sk-${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { key, entry: { sha256: hash('sha256', key), tenant } }
}

export function keyAnswer(tenant: string): CommandAnswer {
  const { key, entry } = newKey(tenant)
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

/** Prints only the key, for `export IRONLAW_KEY=$(ironlaw key me --add)`. Refused if the access document changes in the meantime. */
export async function addedKeyAnswer(tenant: string): Promise<CommandAnswer> {
  const to = context()
  const { key, entry } = newKey(tenant)
  const current = await find(api(to).getGatewayConfig({}))
  const { tenants = {}, keys = [], ...rest } = current?.value ?? {}
  const body = { ...rest, tenants: { [tenant]: {}, ...tenants }, keys: [...keys, entry] }
  const ifMatch = current?.header
  const { version } = await api(to).configureGateways({ body, ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }) })
  return {
    json: { key, entry, version },
    text: () => key,
    notes: [`shown only once; tenant ${tenant} may use it at every gateway of ${to.api} within about a second`],
  }
}
