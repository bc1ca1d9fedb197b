// Profiles: how often rows of files, or answers of a deployment, have which values, as counts that add up and hold no row.

import type { Command } from 'commander'
import { IronlawError } from '@ironlaw/contracts'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { ServedFlags } from './deployment-profile.ts'
import type { ProfileFlags } from './profile.ts'

type Flags = ProfileFlags & ServedFlags & { readonly of?: string; readonly json?: true }

export function profileCommand(): Command {
  return withContext(withJson(createCommand('profile')))
    .description(
      'count how often columns of files, or answers of a deployment, have which values, without keeping a value: what later ones are compared with',
    )
    .argument('[files...]', 'JSON lines (also .gz, .zst) or Parquet: files, directories or patterns')
    .option('--columns <names>', 'only these, such as age,city or user.age; all when left out')
    .option('--to <file>', 'write the profile as a .json, for "ironlaw diff" and "ironlaw artifact add --type profile"')
    .option('--of <deployment>', 'instead of files: what gateways counted of its answers')
    .option('--since <time>', 'with --of: how far back, such as 2h or 30d; 24h when left out')
    .option('--revision <n>', 'with --of: only the answers of this revision')
    .option('--class <name>', 'with --of: only the requests of tenants of this class')
    .option('--freeze <name>', 'with --of: keep it as the baseline of the version that the revision serves, an artifact of this name')
    .addHelpText(
      'after',
      examples(
        'ironlaw profile applicants.jsonl',
        'ironlaw profile applicants.jsonl --columns income,region --to profile.json',
        'ironlaw profile "applicants*.jsonl" --json',
        'ironlaw profile --of chat --since 7d',
        'ironlaw profile --of chat --revision 3 --freeze chat-baseline',
      ),
    )
    .action(async (files: readonly string[], flags: Flags) => {
      checkUsage(files, flags)
      if (flags.of === undefined) {
        const { profileAnswer } = await import('./profile.ts')
        return printAnswer(await profileAnswer(files, flags), flags.json === true)
      }
      const { deploymentProfileAnswer } = await import('./deployment-profile.ts')
      printAnswer(await deploymentProfileAnswer(flags.of, flags), flags.json === true)
    })
}

const OF_SERVED = ['since', 'revision', 'class', 'freeze'] as const

function checkUsage(files: readonly string[], flags: Flags): void {
  const usage = (problem: string) => new IronlawError('IL_USAGE', { problem, command: 'profile' })
  if (flags.of === undefined) {
    if (files.length === 0) throw usage('name files, or a deployment with --of')
    const foreign = OF_SERVED.find((flag) => flags[flag] !== undefined)
    if (foreign !== undefined) throw usage(`--${foreign} is for the answers of a deployment: name one with --of`)
    return
  }
  if (files.length > 0) throw usage('name files or a deployment, not both')
  if (flags.columns !== undefined) throw usage('--columns is for files: every feature of answers is shown')
}
