// What the gateway serves clients with, and what it shows to engines.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type LiveCertificate, trustAuthority, watchCertificate } from '@ironlaw/certificates'
import { IronlawError, isLoopbackHost } from '@ironlaw/contracts'
import { enrol, listenNames } from './enrolment.ts'
import type { OwnToken } from './own-token.ts'

export type ListenerFlags = {
  readonly host: string
  readonly id: string
  readonly state: string
  readonly control: string | undefined
  readonly ca: string | undefined
  readonly 'tls-cert': string | undefined
  readonly 'tls-key': string | undefined
  readonly 'insecure-http': boolean
}

export type GatewayCertificates = {
  /** Plain HTTP where it is absent. */
  readonly certificate?: LiveCertificate
  readonly engineIdentity?: LiveCertificate
}

export async function gatewayCertificates(
  flags: ListenerFlags,
  { token, tell }: { readonly token: OwnToken; readonly tell: (line: string) => void },
): Promise<GatewayCertificates> {
  const { host, id, control, 'tls-cert': cert, 'tls-key': key } = flags
  if ((cert === undefined) !== (key === undefined)) throw usage('--tls-cert and --tls-key belong together')
  const ca = flags.ca === undefined ? undefined : authorityText(flags.ca)
  if (ca !== undefined) trustAuthority(ca)
  const files = cert !== undefined && key !== undefined ? await watchCertificate({ cert, key }, { tell }) : undefined
  const isPlain = files === undefined && (isLoopbackHost(host) || flags['insecure-http'])
  const enrolled = control === undefined ? undefined : await enrolOrSay(flags, { control, id, token, tell, isNeeded: !isPlain && !files })
  const engineIdentity = enrolled ?? files
  const certificate = files ?? (isPlain ? undefined : enrolled)
  if (!certificate && !isPlain)
    throw usage(
      `--host ${host} is beyond this machine and there is no certificate`,
      'give --tls-cert and --tls-key, or follow a control plane that issues one with --control; --insecure-http serves in clear',
    )
  if (!certificate && !isLoopbackHost(host)) tell(`warning: the gateway on ${host} is plain HTTP: anyone on the way reads keys and prompts`)
  return { ...(certificate && { certificate }), ...(engineIdentity && { engineIdentity }) }
}

type Enrolment = {
  readonly control: string
  readonly id: string
  readonly token: OwnToken
  readonly tell: (line: string) => void
  readonly isNeeded: boolean
}

/** On loopback it is only for engines: without it those that need none are served all the same. */
async function enrolOrSay(
  { host, state }: ListenerFlags,
  { control, id, token, tell, isNeeded }: Enrolment,
): Promise<LiveCertificate | undefined> {
  const url = new URL(`/v1/gateways/${encodeURIComponent(id)}/certificate`, control).href
  try {
    return await enrol({ url, token, keepAt: join(state, 'certificate.json'), ...listenNames(host, hostname()), tell })
  } catch (cause) {
    if (isNeeded) throw cause
    tell(
      `no certificate from the control plane: ${cause instanceof Error ? cause.message : String(cause)}; engines that require one refuse this gateway`,
    )
    return undefined
  }
}

/** PEM text, or its file. */
const authorityText = (given: string): string => (given.startsWith('-----BEGIN') ? given : readFileSync(given, 'utf8'))

const usage = (problem: string, next?: string): IronlawError =>
  new IronlawError('IL_USAGE', { problem, command: 'gateway' }, next === undefined ? {} : { next })
