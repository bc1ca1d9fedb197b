// Artifacts: data, models and evaluations that never change, and what came of what.

import { Option, type Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { AddFlags } from './add-artifact.ts'

type Flags = { readonly json?: true; readonly project: string }

const withProject = (command: Command): Command => withContext(withJson(command)).option('--project <name>', 'whose artifacts', 'default')

const REFERENCE = 'an id or its beginning, a name, or a name with its version such as corpus@3'

export function artifactCommand(): Command {
  const command = createCommand('artifact').description(
    'keep data, models and evaluations as artifacts: immutable, named by content, restored with every byte verified',
  )
  for (const each of [addCommand(), restoreCommand(), verifyCommand(), nameCommand(), historyCommand(), deleteCommand(), collectCommand()])
    command.addCommand(each)
  return command
}

function addCommand(): Command {
  return withProject(createCommand('add'))
    .description('store a file or a directory as an artifact; what the storage already has is not sent again')
    .argument('<path>', 'file or directory')
    .addOption(new Option('--type <type>', 'what it is').choices(['dataset', 'model', 'evaluation', 'profile']).default('dataset'))
    .option('--name <name>', 'point this name at it')
    .option('--fact <name=value...>', 'what is known of it, such as tokenizer=llama-3; part of its identity')
    .option('--run <run>', 'the run that made it')
    .addHelpText(
      'after',
      examples(
        'ironlaw artifact add corpus/ --name corpus',
        'ironlaw artifact add out/model --type model --name tiny --run tiny-llama',
        'ironlaw artifact add questions.jsonl --type evaluation --name qa --fact language=en',
      ),
    )
    .action(async (path: string, flags: Flags & AddFlags) => {
      const { addArtifact } = await import('./add-artifact.ts')
      printAnswer(await addArtifact(path, flags), flags.json === true)
    })
}

function restoreCommand(): Command {
  return withProject(createCommand('restore'))
    .description('write the files of an artifact into a directory, every byte verified')
    .argument('<artifact>', REFERENCE)
    .requiredOption('--to <directory>', 'an empty directory, or one of an interrupted restore; made if it is not there')
    .addHelpText('after', examples('ironlaw artifact restore corpus@2 --to corpus-2'))
    .action(async (artifact: string, flags: Flags & { readonly to: string }) => {
      const { restoreArtifact } = await import('./restore-artifact.ts')
      printAnswer(await restoreArtifact(artifact, flags), flags.json === true)
    })
}

function verifyCommand(): Command {
  return withProject(createCommand('verify'))
    .description('read every byte of an artifact in the storage and compare it with its digest')
    .argument('<artifact>', REFERENCE)
    .addHelpText('after', examples('ironlaw artifact verify corpus'))
    .action(async (artifact: string, flags: Flags) => {
      const { verifyArtifact } = await import('./restore-artifact.ts')
      printAnswer(await verifyArtifact(artifact, flags.project), flags.json === true)
    })
}

function nameCommand(): Command {
  return withProject(createCommand('name'))
    .description('point a name at an artifact, also back at an older one; what it pointed at before stays in its history')
    .argument('<name>', 'lower-case letters, digits, dots, hyphens and underscores')
    .argument('<artifact>', REFERENCE)
    .addHelpText('after', examples('ironlaw artifact name corpus corpus@2', 'ironlaw artifact name corpus art-3f2a91c0'))
    .action(async (name: string, artifact: string, flags: Flags) => {
      const { nameArtifact } = await import('./artifacts.ts')
      printAnswer(await nameArtifact(name, artifact, flags.project), flags.json === true)
    })
}

function historyCommand(): Command {
  return withProject(createCommand('history'))
    .description('what a name pointed at, newest first: when, and who changed it')
    .argument('<name>', 'of an artifact')
    .addHelpText('after', examples('ironlaw artifact history corpus'))
    .action(async (name: string, flags: Flags) => {
      const { nameHistory } = await import('./artifacts.ts')
      printAnswer(await nameHistory(name, flags.project), flags.json === true)
    })
}

function deleteCommand(): Command {
  return withProject(createCommand('delete'))
    .description('give up the content of an artifact that no name points at; where it came from and what came of it stays known')
    .argument('<artifact>', REFERENCE)
    .addHelpText('after', examples('ironlaw artifact delete art-3f2a91c0'))
    .action(async (artifact: string, flags: Flags) => {
      const { deleteArtifact } = await import('./artifacts.ts')
      printAnswer(await deleteArtifact(artifact, flags.project), flags.json === true)
    })
}

function collectCommand(): Command {
  return withContext(withJson(createCommand('collect')))
    .description('remove from the storage what no artifact needs and what uploads of more than a day ago left behind')
    .addHelpText('after', examples('ironlaw artifact collect'))
    .action(async (flags: Pick<Flags, 'json'>) => {
      const { collectArtifacts } = await import('./artifacts.ts')
      printAnswer(await collectArtifacts(), flags.json === true)
    })
}

export function traceCommand(): Command {
  return withProject(createCommand('trace'))
    .description('where an artifact or a run came from, or what came of it')
    .argument('<id>', `${REFERENCE}; or a run`)
    .addOption(new Option('--up', 'what it came from (default)').conflicts('down'))
    .option('--down', 'what came of it')
    .addHelpText('after', examples('ironlaw trace tiny', 'ironlaw trace corpus@2 --down'))
    .action(async (id: string, flags: Flags & { readonly up?: true; readonly down?: true }) => {
      const { traceAnswer } = await import('./trace.ts')
      printAnswer(await traceAnswer(id, flags), flags.json === true)
    })
}

export function diffCommand(): Command {
  return withProject(createCommand('diff'))
    .description(
      'what differs between two artifacts: files, lines, facts, and of profiles the features; or between two runs: what they were made of, and what is beyond noise',
    )
    .argument('<before>', `${REFERENCE}; a run, as run/NAME where an artifact has its name; or a file that "ironlaw profile --to" wrote`)
    .argument('<after>', 'another one')
    .addHelpText(
      'after',
      examples('ironlaw diff corpus@1 corpus@2', 'ironlaw diff run/tiny-3 run/tiny-4', 'ironlaw diff before.json after.json'),
    )
    .action(async (before: string, after: string, flags: Flags) => {
      const { diffAnswer } = await import('./diff.ts')
      printAnswer(await diffAnswer({ before, after, project: flags.project }), flags.json === true)
    })
}
