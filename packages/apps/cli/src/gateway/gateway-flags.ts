// Which gateway to use, and with which key: flags override the environment.

import { IronlawError } from '@ironlaw/contracts'
import { readAuthority, siteAuthority } from '../context/authority.ts'
import type { Gateway } from './fetch-gateway.ts'

export type GatewayFlags = { readonly gateway?: string; readonly key?: string; readonly ca?: string }

const NO_KEY = 'set IRONLAW_KEY or pass --key; "ironlaw key TENANT --add" creates a key and grants it access at the gateways'

export function gatewayOf(flags: GatewayFlags, command: string): Gateway {
  const url = flags.gateway ?? process.env['IRONLAW_GATEWAY'] ?? 'http://127.0.0.1:8080'
  const key = flags.key ?? process.env['IRONLAW_KEY']
  if (!URL.canParse(url)) throw new IronlawError('IL_USAGE', { problem: `--gateway ${url}: expected a URL`, command })
  if (key === undefined) throw new IronlawError('IL_USAGE', { problem: 'no key for the gateway', command }, { next: NO_KEY })
  return { url, key, ...(flags.ca === undefined ? siteAuthority() : { ca: readAuthority(flags.ca, command) }) }
}
