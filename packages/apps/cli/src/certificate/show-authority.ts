// `ironlaw certificate show`: what clients of the site are to trust.

import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { table } from '../table.ts'

export async function showAuthority({ pem }: { readonly pem?: true }): Promise<CommandAnswer> {
  const authority = await api(context()).getAuthority({})
  const { ca, subject, fingerprint, until_at } = authority
  const rows = [
    ['subject', subject],
    ['SHA-256', fingerprint],
    ['valid until', new Date(1000 * until_at).toISOString()],
  ]
  return { json: authority, text: () => (pem ? ca.trimEnd() : table(['AUTHORITY', ''], rows)) }
}
