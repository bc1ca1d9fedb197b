import { program } from 'ironlaw/program'
import type { Command } from 'commander'
import type { GeneratedFile } from './generated.ts'

/** "complete" is what completion scripts call. */
const UNLISTED = new Set(['help', 'complete'])

export function cliPage(): GeneratedFile[] {
  return [{ path: 'docs/reference/cli.md', content: `# Command line\n\n${sections(program(), '').join('\n')}` }]
}

function sections(command: Command, above: string): string[] {
  const path = `${above} ${command.name()}`.trim()
  return [
    `## ${path}\n\n\`\`\`text\n${helpText(command).trim()}\n\`\`\`\n`,
    ...command.commands.filter((each) => !UNLISTED.has(each.name())).flatMap((each) => sections(each, path)),
  ]
}

function helpText(command: Command): string {
  const written: string[] = []
  command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp()
  return written.join('')
}
