// Which authority a site's certificates come from, where this machine does not know it: from a flag, from IRONLAW_CA, or from the context file.

import { IronlawError } from '@ironlaw/contracts'
import { CONTEXT_NAME_VARIABLE } from '../command.ts'
import { readText } from '../input-file.ts'
import { readContextFile } from './context-file.ts'

/** The file that --ca names. */
export function readAuthority(path: string, command: string): string {
  const text = readText(path)
  if (isAuthority(text)) return text
  throw new IronlawError(
    'IL_USAGE',
    { problem: `--ca ${path}: expected a certificate in PEM`, command },
    {
      next: 'take ca.pem from the authority of the site, on the machine of "ironlaw up": ~/.ironlaw/authority unless --authority says otherwise',
    },
  )
}

/** Without a private key, which would end in the context file. */
const isAuthority = (text: string): boolean => /-----BEGIN CERTIFICATE-----/.test(text) && !/PRIVATE KEY/.test(text)

/** IRONLAW_CA holds the PEM text itself, or its file. */
export function authorityFromEnvironment(): { readonly ca?: string } {
  const given = process.env['IRONLAW_CA']
  if (!given) return {}
  const ca = given.startsWith('-----BEGIN') ? given : readText(given)
  if (isAuthority(ca)) return { ca }
  throw new IronlawError(
    'IL_DOCUMENT',
    { path: 'IRONLAW_CA', reason: 'expected a certificate in PEM, or its file' },
    { next: 'set it again' },
  )
}

/** For gateways, whose certificates come from the authority of their control plane. A machine without a context knows none. */
export function siteAuthority(): { readonly ca?: string } {
  const given = authorityFromEnvironment()
  if (given.ca !== undefined) return given
  const contexts = readContextFile()
  const ca = contexts?.entries.get(process.env[CONTEXT_NAME_VARIABLE] || (contexts.current ?? ''))?.ca
  return ca === undefined ? {} : { ca }
}
