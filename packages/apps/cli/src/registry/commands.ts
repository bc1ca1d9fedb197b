// Versions of models: decisions, and cards.

import { CARD_FORMATS } from '@ironlaw/contracts/card'
import { Argument, type Command, Option } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { CardFlags } from './card.ts'
import type { DecideFlags, DecideVerb } from './decide.ts'

const VERBS = ['approve', 'release', 'refuse', 'waive', 'retire'] as const satisfies readonly DecideVerb[]

export function decideCommand(): Command {
  return withContext(withJson(createCommand('decide')))
    .description('approve, release, refuse, waive or retire a version of a model; the decision is a record with its evidence, and stays')
    .argument('<version>', 'a model: an id or its beginning, a name, or a name with its version such as tiny@2')
    .addArgument(new Argument('<decision>', 'what is decided').choices(VERBS))
    .requiredOption('--why <text>', 'the reason')
    .option('--evidence <artifact...>', 'artifacts that it rests on, such as evaluations')
    .option('--figure <name=value...>', 'figures that it rests on, such as accuracy=0.82')
    .option('--otherwise <text>', 'what would have changed the decision')
    .option('--rule <id>', 'the rule that decided, such as an artifact (default: the judgement of a person)')
    .option('--until <date>', 'of a waiver: when it ends, such as 2027-01-31; at most a year ahead')
    .option('--project <name>', 'whose model', 'default')
    .addHelpText(
      'after',
      examples(
        'ironlaw decide tiny@2 release --why "not worse by more than 2 points" --evidence quality@4',
        'ironlaw decide tiny@2 approve --why "read the evaluation"',
        'ironlaw decide tiny@3 refuse --why "loses 4 points in French" --otherwise "a drop below 2 points"',
        'ironlaw decide tiny@3 waive --why "only for the demo" --until 2027-01-31',
      ),
    )
    .action(async (version: string, verb: DecideVerb, flags: DecideFlags & { readonly json?: true }) => {
      const { decideAnswer } = await import('./decide.ts')
      printAnswer(await decideAnswer(version, verb, flags), flags.json === true)
    })
}

export function cardCommand(): Command {
  return withContext(withJson(createCommand('card')))
    .description(
      'what is known of a version of a model, or of a dataset, as a document: every figure with where it comes from, and what is missing',
    )
    .argument('<version>', 'a model or a dataset: an id or its beginning, a name, or tiny@2; or a directory that "ironlaw export" wrote')
    .addOption(
      new Option('--format <format>', 'for readers, the Hugging Face hub, CycloneDX 1.6, or Annex IV of the EU AI Act')
        .choices(CARD_FORMATS)
        .default('md'),
    )
    .option('--evaluation <directory...>', 'of a directory: evaluations of it, as "ironlaw evaluate run" wrote them')
    .option('--project <name>', 'whose model', 'default')
    .addHelpText(
      'after',
      examples('ironlaw card models/candidate --evaluation evaluations/after', 'ironlaw card models/candidate --format cyclonedx'),
    )
    .action(async (version: string, flags: CardFlags & { readonly json?: true }) => {
      const { cardAnswer } = await import('./card.ts')
      printAnswer(await cardAnswer(version, flags), flags.json === true)
    })
}
