// The flags of a program as options of the command that starts it.

import { flagHelp, type FlagTable } from '@ironlaw/contracts/program-flags'
import { type Command, Option } from 'commander'

/** As commander returns them: names in camel case, and `x: false` for `--no-x`. */
export type ProgramFlags = Readonly<Record<string, string | boolean | undefined>>

export function withFlags(command: Command, table: FlagTable): Command {
  for (const [name, flag] of Object.entries(table)) {
    const option = new Option(flag.value === undefined ? `--${name}` : `--${name} <${flag.value}>`, flagHelp(flag))
    command.addOption(option.hideHelp(flag.hidden === true).makeOptionMandatory(flag.required === true))
  }
  return command
}

/** What the user gave, for the program to check. */
export const flagArguments = (table: FlagTable, flags: ProgramFlags): readonly string[] =>
  Object.keys(table).flatMap((name) => {
    const option = new Option(`--${name}`)
    const value = flags[option.attributeName()]
    const isGiven = option.negate ? value === false : value !== undefined && value !== false
    return isGiven ? [`--${name}`, ...(typeof value === 'string' ? [value] : [])] : []
  })
