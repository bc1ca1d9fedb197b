// `ironlaw get access`: the access document in force, as a file to change and apply again.

import { GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { stringify } from 'yaml'
import type { CommandAnswer } from '../answer.ts'
import { find } from '../operate/api-client.ts'
import { context } from '../operate/context.ts'

export const ACCESS_PATH = '/v1/gateway-config'

export async function accessAnswer(): Promise<CommandAnswer> {
  const found = await find(context(), ACCESS_PATH, GATEWAY_CONFIG)
  if (!found) return { json: null, text: () => 'no access document: "ironlaw apply access.yaml" stores the first' }
  const { value, etag } = found
  const document = { apiVersion: 'ironlaw/v1', kind: 'Access', ...(etag !== undefined && { based_on: etag.replaceAll('"', '') }), ...value }
  return { json: document, text: () => stringify(document).trimEnd() }
}
