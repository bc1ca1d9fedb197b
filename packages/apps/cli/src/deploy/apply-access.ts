// `ironlaw apply` for a document of kind Access: who may ask the gateways from now on.

import { parseAccessSpec } from '@ironlaw/contracts/access-spec'
import { CONFIG_STORED } from '@ironlaw/contracts/deployment-api'
import { readDocument } from '../input-file.ts'
import { put } from '../operate/api-client.ts'
import { agreed, type ApplyFlags } from '../operate/apply.ts'
import { context } from '../operate/context.ts'

export async function applyAccess(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const body = parseAccessSpec(readDocument(file), file)
  const tenants = Object.keys(body.tenants)
  if (!flags.json)
    process.stdout.write(`keys: ${body.keys.length}, of tenants ${tenants.join(', ')}; whoever is not among them is refused from then on\n`)
  if (!flags.yes && !(await agreed('let these in? [y/N] '))) return
  const stored = await put(to, '/v1/gateway-config', { body, answer: CONFIG_STORED })
  process.stdout.write(flags.json ? `${JSON.stringify(stored)}\n` : `version ${stored.version}; gateways have it within about a second\n`)
}
