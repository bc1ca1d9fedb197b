// The HTTP API: its OpenAPI document, and a page that says in one table what may be called by whom.

import { openApiDocument } from '@ironlaw/control/openapi'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { type GeneratedFile, markdownTable } from './generated.ts'

const INTRO = `Every call but the exchange of a login code needs a token: \`Authorization: Bearer il_...\`. A role may do what the roles before it may (viewer, operator, admin);
\`run\` is the token that a job carries, which opens its own run and nothing else. The whole description is
[openapi.json](openapi.json); a running control plane gives it out at \`/v1/openapi.json\`.

Errors are \`application/problem+json\` with a \`code\` of the [catalogue](errors.md) and what to do \`next\`. Lists answer
\`{ "items": [...], "next": "cursor" | null }\`. Times are seconds since 1970-01-01 UTC.`

export async function apiPage(): Promise<GeneratedFile[]> {
  const rows = Object.values(OPERATIONS).map(({ method, url, need, summary }) => [
    `\`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}\``,
    need === 'open' ? 'no token' : need,
    summary,
  ])
  return [
    { path: 'docs/reference/openapi.json', content: `${JSON.stringify(await openApiDocument(), undefined, 2)}\n` },
    { path: 'docs/reference/api.md', content: `# HTTP API\n\n${INTRO}\n\n${markdownTable(['call', 'needs', 'what it does'], rows)}\n` },
  ]
}
