// What common mistakes are answered with, as tests/mistakes has seen it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SHOWN } from '../../tests/mistakes/made-mistake.ts'
import { MISTAKES } from '../../tests/mistakes/mistakes.ts'
import { type GeneratedFile, markdownTable } from './generated.ts'

type KeptMessages = Readonly<
  Record<string, { readonly exit: number; readonly code: string; readonly message: string; readonly next: string }>
>

const FILE = join(import.meta.dirname, '../../tests/mistakes/messages.json')

const INTRO = `What Ironlaw answers to mistakes that are easily made: what happened, and what to do next. Each command is run by a test as it stands here, in a
folder with the files that it names, and must answer exactly this.

Exit status: 1 wrong usage or input, 3 a stated constraint is violated, 130 interrupted.`

export function mistakePage(): GeneratedFile[] {
  const kept = JSON.parse(readFileSync(FILE, 'utf8')) as KeptMessages
  const rows = MISTAKES.flatMap(({ id, mistake, command }) => {
    const found = kept[id]
    return found ? [[id, mistake, code(shownCommand(command)), lines(found.message), found.next, String(found.exit)]] : []
  })
  const table = markdownTable(['', 'mistake', 'command', 'message', 'next step', 'exit'], rows)
  return [{ path: 'docs/reference/mistakes.md', content: `# Mistakes and what they are answered with\n\n${INTRO}\n\n${table}\n` }]
}

const shownCommand = (command: string): string =>
  Object.entries(SHOWN).reduce((text, [name, port]) => text.replaceAll(`{${name}}`, port), command)

const code = (text: string): string => `\`${text}\``

/** A cell has no line breaks of its own. */
const lines = (text: string): string => text.replaceAll(/\n +/g, '<br>')
