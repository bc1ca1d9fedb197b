// How every command is made.

import { Command } from 'commander'

/** Wrong usage reaches main as an exception, so that every exit status is decided in one place. */
export const named = (name: string): Command => new Command(name).exitOverride()

export const withJson = (command: Command): Command => command.option('--json', 'print the answer as JSON (shape: docs/reference/json.md)')

export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
