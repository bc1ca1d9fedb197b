// `ironlaw apply` for a document of kind Access: who may use the gateways. The document is replaced as a whole, so its changes are shown
// first, and the control plane refuses it if the stored document has changed in the meantime.

import { accessChange, accessChangeText } from '@ironlaw/contracts'
import { parseAccessSpec } from '@ironlaw/contracts/access-spec'
import { GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { confirm } from '../confirm.ts'
import { readDocument } from '../input-file.ts'
import { api, find } from '../api/api-client.ts'
import type { ApplyFlags } from '../run/apply-train.ts'
import { context } from '../context/context.ts'

const NO_ACCESS = GATEWAY_CONFIG.parse({ tenants: {}, keys: [] })

export async function applyAccess(file: string, flags: ApplyFlags): Promise<void> {
  const to = context()
  const { config, basedOn } = parseAccessSpec(readDocument(file), file)
  const current = await find(api(to).getGatewayConfig({}))
  const tenants = Object.keys(config.tenants)
  const change = accessChange(current?.value ?? NO_ACCESS, config)
  const keys = `${config.keys.length} ${config.keys.length === 1 ? 'key' : 'keys'}`
  const owners = `${tenants.length === 1 ? 'tenant' : 'tenants'}: ${tenants.join(', ') || 'none'}`
  if (!flags.json) process.stdout.write(`${keys} (${owners}); all other keys will be rejected\n${accessChangeText(change)}\n`)
  if (flags.dryRun) return void (flags.json && process.stdout.write(`${JSON.stringify({ changes: change })}\n`))
  if (!flags.yes && !(await confirm({ question: 'apply these keys?', command: 'apply' }))) return
  const seen = basedOn ?? current?.header
  const stored = await api(to).configureGateways({ body: config, ...(seen !== undefined && { headers: { 'if-match': seen } }) })
  const told = `version ${stored.version}, based_on ${stored.etag} for the next change; gateways have it within about a second`
  process.stdout.write(flags.json ? `${JSON.stringify(stored)}\n` : `${told}\n`)
}
