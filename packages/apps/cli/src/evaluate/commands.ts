// Evaluations: what a model is worth on items, and whether another may replace it.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { CompareFlags } from './compare.ts'
import type { ImportFlags } from './import.ts'
import type { EvaluatePlanFlags } from './plan.ts'
import type { EvaluateFlags } from './run.ts'

type Flags = { readonly json?: true }

export function evaluateCommand(): Command {
  const command = createCommand('evaluate').description('ask a model about items, score its answers, and compare two models item by item')
  command.addCommand(planCommand())
  command.addCommand(runCommand())
  command.addCommand(compareCommand())
  command.addCommand(importCommand())
  return command
}

const withEngine = (command: Command): Command =>
  withContext(withJson(command))
    .argument('<spec>', 'YAML or JSON of kind Evaluate')
    .option('--url <url>', 'the engine, instead of the one of the spec')
    .option('--model <name>', 'which model of the engine, instead of the one of the spec')
    .option('--key <key>', 'for the engine or the gateway (default IRONLAW_KEY)')
    .option('--judge-key <key>', 'for the judge of the spec (default IRONLAW_JUDGE_KEY)')
    .option('--gateway <url>', 'where a deployment is asked (default IRONLAW_GATEWAY or http://127.0.0.1:8080)')
    .option('--project <name>', 'whose artifact the items are', 'default')

/** Items that a probe measures, besides those that fill the engine. */
const MEASURED_ITEMS = '20'

function planCommand(): Command {
  return withEngine(createCommand('plan'))
    .description(
      'predict how long an evaluation takes and what it can decide: the drop it can see, the items needed, the chance of each verdict',
    )
    .option('--no-probe', 'ask the engine nothing: the time stays unknown')
    .option('--measure <n>', 'items that the probe measures, besides those that fill the engine', MEASURED_ITEMS)
    .option('--measured <directory>', 'an evaluation with repeats, which says on how many items the same model differs from itself')
    .option('--price <rate>', 'of the engine, such as "2.50 USD/h"')
    .addHelpText(
      'after',
      examples('ironlaw evaluate plan evaluate.yaml --no-probe', 'ironlaw evaluate plan evaluate.yaml --no-probe --json'),
    )
    .action(async (spec: string, flags: Flags & EvaluatePlanFlags) => {
      const { planEvaluationAnswer } = await import('./plan.ts')
      printAnswer(await planEvaluationAnswer(spec, flags), flags.json === true)
    })
}

function runCommand(): Command {
  return withEngine(createCommand('run'))
    .description('ask an engine about the items of an evaluation spec and score the answers; interrupted, it goes on where it was')
    .option('--keep-texts', 'write texts.jsonl too, with what was asked and what was said: comparisons then show it')
    .option(
      '--against <directory>',
      'a finished evaluation of the same items: ends as soon as it is sure whether this model may replace that one',
    )
    .option('--across <field...>', 'with --against: although this field of the instrument differs, such as quantization')
    .option('--to <directory>', 'where evaluation.json and results.jsonl are put; the name of the spec when left out')
    .addHelpText(
      'after',
      examples(
        'ironlaw evaluate run evaluate.yaml --to before',
        'ironlaw evaluate run evaluate.yaml --url http://127.0.0.1:8001 --model candidate --to after',
        'ironlaw evaluate run evaluate.yaml --model candidate --against before --to after',
        'ironlaw artifact add after --type evaluation --name candidate-sums',
      ),
    )
    .action(async (spec: string, flags: Flags & EvaluateFlags) => {
      const { runEvaluationAnswer } = await import('./run.ts')
      printAnswer(await runEvaluationAnswer(spec, flags), flags.json === true)
    })
}

function importCommand(): Command {
  return withJson(createCommand('import'))
    .description(
      "make items of another program's files, or an evaluation of what another harness logged, to be compared like one of your own",
    )
    .argument('<file>', 'JSON lines, a JSON list of rows, or a log')
    .requiredOption(
      '--from <format>',
      'items: humaneval, mbpp, or lm-eval for samples of lm-evaluation-harness; evaluations: inspect for a log of Inspect as JSON, lm-eval-results for samples with the results beside them',
    )
    .option('--to <path>', 'where the items (items.jsonl when left out) or the evaluation (the name of its task) are put')
    .option('--metric <name>', 'which scorer or metric of a log is the score, where there are several')
    .addHelpText(
      'after',
      examples(
        'ironlaw evaluate import humaneval.jsonl --from humaneval --to programs.jsonl',
        'ironlaw evaluate import inspect-log.json --from inspect --to imported',
      ),
    )
    .action(async (file: string, flags: Flags & ImportFlags) => {
      const { importAnswer } = await import('./import.ts')
      printAnswer(await importAnswer(file, flags), flags.json === true)
    })
}

function compareCommand(): Command {
  return withJson(createCommand('compare'))
    .description(
      'judge whether one model may replace another, item by item: better, as good, worse or undecided; the last two are status 3',
    )
    .argument('<before>', 'directory of an evaluation')
    .argument('<after>', 'directory of another one, by the same instrument on the same items')
    .option('--margin <share>', 'the new model may be worse by less than this', '0.02')
    .option('--false-block <share>', 'chance of refusing a model that is equal', '0.05')
    .option('--miss <share>', 'chance of passing one that is worse by the margin', '0.05')
    .option('--looks <n>', 'candidates that these items judge: the chances hold for all of them together', '1')
    .option('--across <field...>', 'compare although this field of the instrument differs, such as quantization')
    .addHelpText(
      'after',
      examples(
        'ironlaw evaluate compare evaluations/before evaluations/after --margin 0.05',
        'ironlaw evaluate compare evaluations/before evaluations/after --margin 0.05 --looks 5 --json',
      ),
    )
    .action(async (before: string, after: string, flags: Flags & CompareFlags) => {
      const { compareAnswer } = await import('./compare.ts')
      printAnswer(await compareAnswer(before, after, flags), flags.json === true)
    })
}
