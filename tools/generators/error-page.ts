import { ERRORS } from '@ironlaw/contracts'
import { type GeneratedFile, markdownTable } from './generated.ts'

export function errorPage(): GeneratedFile[] {
  const rows = Object.entries(ERRORS).map(([code, { message, next, exit }]) => [`\`${code}\``, message, next, String(exit)])
  const intro =
    'Every error says what happened, with which value, and what to do next. With `--json` the same goes to standard error as `{ "error": { "code", "message", "next" } }`. Exit status: 0 fine, 1 wrong usage or input, 2 unexpected, 3 a stated constraint is violated, 130 interrupted with Ctrl-C. [Common mistakes](mistakes.md) shows the messages that they are answered with.'
  return [
    {
      path: 'docs/reference/errors.md',
      content: `# Error codes\n\n${intro}\n\n${markdownTable(['code', 'message', 'next', 'exit'], rows)}\n`,
    },
  ]
}
