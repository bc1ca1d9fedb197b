// `ironlaw get access`: the access document in force, as a file to change and apply again.

import { stringify } from 'yaml'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'

export async function accessAnswer(): Promise<CommandAnswer> {
  const found = await find(api(context()).getGatewayConfig({}))
  if (!found) return { json: null, text: () => 'no access document: "ironlaw apply access.yaml" stores the first' }
  const { value, header: etag } = found
  const document = { apiVersion: 'ironlaw/v1', kind: 'Access', ...(etag !== undefined && { based_on: etag.replaceAll('"', '') }), ...value }
  return { json: document, text: () => stringify(document).trimEnd() }
}
