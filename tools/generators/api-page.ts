// The HTTP API: its OpenAPI document, and a page that says in one table what may be called by whom.

import { openApiDocument } from '@ironlaw/control/openapi'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import type { Need } from '@ironlaw/contracts'
import { type GeneratedFile, markdownTable } from './generated.ts'

const INTRO = `Every call but the exchange of a login code needs a token: \`Authorization: Bearer il_...\`. A role may do what the roles before it may (viewer, member, operator,
admin). It holds in the project of the object, and lists have what belongs to the caller's projects; \`everywhere\` needs a token for the whole site,
\`in any project\` one for some project. What belongs to another project is answered as if it did not exist. \`run\` is the token that a job carries, which opens its own run and nothing else. The whole description is
[openapi.json](openapi.json); a running control plane gives it out at \`/v1/openapi.json\`.

Errors are \`application/problem+json\` with a \`code\` of the [catalogue](errors.md) and what to do \`next\`. Lists answer
\`{ "items": [...], "next": "cursor" | null }\`. Times are seconds since 1970-01-01 UTC.`

export async function apiPage(): Promise<GeneratedFile[]> {
  const rows = Object.values(OPERATIONS).map(({ method, url, need, summary }) => [
    `\`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}\``,
    needText(need),
    summary,
  ])
  return [
    { path: 'docs/reference/openapi.json', content: `${JSON.stringify(await openApiDocument(), undefined, 2)}\n` },
    { path: 'docs/reference/api.md', content: `# HTTP API\n\n${INTRO}\n\n${markdownTable(['call', 'needs', 'what it does'], rows)}\n` },
  ]
}

const SCOPES = { project: '', site: ' everywhere', any: ' in any project' } as const

function needText(need: Need | 'open'): string {
  if (need === 'open') return 'no token'
  return typeof need === 'string' ? need : `${need.role}${SCOPES[need.scope]}`
}
