// How every command is made.

import { IronlawError } from '@ironlaw/contracts'
import { Command, type CommanderError } from 'commander'

/** Wrong usage reaches main as an error like any other, which names the command that was used wrongly. */
export function named(name: string): Command {
  const command = new Command(name)
  return command.configureOutput({ outputError: () => undefined }).exitOverride((error) => {
    // Help that was asked for, or printed because a subcommand is missing, has said everything.
    if (error.exitCode === 0 || error.code === 'commander.help') throw error
    throw usageError(command, error)
  })
}

/** Commander writes "error: unknown option '--tokns'" and, where it knows one, "(Did you mean --tokens?)" below. */
function usageError(command: Command, { message }: CommanderError): IronlawError {
  const [, problem = message, meant] = /^(?:error: )?(.*?)(?:\n\(Did you mean (?:one of )?(.*?)\?\))?$/s.exec(message) ?? []
  const path = pathOf(command)
  const help = `"${path} --help" lists ${command.commands.length > 0 ? 'the commands' : 'the options, with examples'}`
  return new IronlawError('IL_USAGE', { problem, command: path }, { next: meant === undefined ? help : `did you mean ${meant}? ${help}` })
}

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name())

export const withJson = (command: Command): Command => command.option('--json', 'print the answer as JSON (shape: docs/reference/json.md)')

/** Of commands that ask before they act, or that scripts treat as if they did. */
export const withYes = (command: Command): Command => command.option('-y, --yes', 'do not ask for confirmation')

export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
