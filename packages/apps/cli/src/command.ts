// How every command is made.

import { IronlawError } from '@ironlaw/contracts'
import { Command, type CommanderError } from 'commander'

/** Turns a usage error into an error that main handles like any other and that names the command. */
export function createCommand(name: string): Command {
  const command = new Command(name)
  return command.configureOutput({ outputError: () => undefined }).exitOverride((error) => {
    // Help, whether requested or shown because a subcommand is missing, needs no further message.
    if (error.exitCode === 0 || error.code === 'commander.help') throw error
    throw usageError(command, error)
  })
}

/** Commander writes "error: unknown option '--tokns'" and, where it knows one, "(Did you mean --tokens?)" below. */
function usageError(command: Command, { message }: CommanderError): IronlawError {
  const [, problem = message, meant] = /^(?:error: )?(.*?)(?:\n\(Did you mean (?:one of )?(.*?)\?\))?$/s.exec(message) ?? []
  const path = pathOf(command)
  const isOfCommands = command.commands.length > 0 && !/\boption\b/.test(problem)
  const help = `"${path} --help" lists ${isOfCommands ? 'the commands' : 'the options, with examples'}`
  return new IronlawError('IL_USAGE', { problem, command: path }, { next: meant === undefined ? help : `did you mean ${meant}? ${help}` })
}

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name())

export const withJson = (command: Command): Command => command.option('--json', 'print the answer as JSON (shape: docs/reference/json.md)')

/** Which context of the context file to use instead of the current one. IRONLAW_CONTEXT names the file. */
export const CONTEXT_NAME_VARIABLE = 'IRONLAW_CONTEXT_NAME'

/** For commands that talk to a control plane. A context named with the flag overrides the environment, as flags do. */
export const withContext = (command: Command): Command =>
  command
    .option(
      '--context <name>',
      `control plane, by the name that "ironlaw context list" shows (default ${CONTEXT_NAME_VARIABLE} or the current one)`,
    )
    .hook('preAction', (self) => {
      const { context } = self.opts<{ readonly context?: string }>()
      if (context === undefined) return
      process.env[CONTEXT_NAME_VARIABLE] = context
      for (const name of ['IRONLAW_API', 'IRONLAW_TOKEN']) delete process.env[name]
    })

/** For commands that ask for confirmation, or that scripts treat as if they did. */
export const withYes = (command: Command): Command => command.option('-y, --yes', 'do not ask for confirmation')

export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
