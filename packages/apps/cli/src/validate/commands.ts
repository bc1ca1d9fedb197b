// `ironlaw validate`: predictions against published measurements.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'
import { validateReliabilityCommand } from '../simulate/commands.ts'
import type { ValidateFlags } from './validate.ts'
import type { ValidateAlarmsFlags } from './validate-alarms.ts'
import type { ValidateDataFlags } from './validate-data.ts'
import type { ValidateEvaluationsFlags } from './validate-evaluations.ts'
import type { ValidateGatesFlags } from './validate-gates.ts'

type Flags = { readonly json?: true }

export function validateCommand(): Command {
  const command = createCommand('validate').description('compare predictions with measurements: published ones, or of this machine')
  command.addCommand(
    withJson(createCommand('training'))
      .description(
        'the error of the training planner on every published run, each source predicted without it, by accelerator, model family, scale and layout',
      )
      .option(
        '--data <folder>',
        'a folder with vtrain/ground_truth_single.csv and _multi.csv, which are not shipped; IRONLAW_DATA if omitted',
      )
      .option('--rows', 'every row in the JSON, not only the worst')
      .addHelpText('after', examples('ironlaw validate training', 'ironlaw validate training --json'))
      .action(async (flags: Flags & ValidateFlags) => {
        const { validateTrainingAnswer } = await import('./validate.ts')
        printAnswer(validateTrainingAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(validateReliabilityCommand())
  command.addCommand(
    withJson(createCommand('serving'))
      .description('the error of the serving planner on published deployments, InferenceX and Splitwise')
      .option('--data <folder>', 'a folder with the files that are not shipped; IRONLAW_DATA if omitted')
      .option('--rows', 'every row in the JSON, not only the worst')
      .addHelpText('after', examples('ironlaw validate serving', 'ironlaw validate serving --json'))
      .action(async (flags: Flags & ValidateFlags) => {
        const { validateServingAnswer } = await import('./validate-serving.ts')
        printAnswer(validateServingAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(
    withJson(createCommand('data'))
      .description('the error of plans of data specs: corpora are drawn, planned from a probe, and made into datasets on this machine')
      .option('--corpora <n>', 'how many', '30')
      .option('--megabytes <n>', 'text of each', '12')
      .option('--seed <n>', 'of the first; other seeds draw other corpora', '1')
      .option('--rows', 'every figure of every corpus in the JSON')
      .addHelpText('after', examples('ironlaw validate data', 'ironlaw validate data --corpora 5 --seed 100'))
      .action(async (flags: Flags & ValidateDataFlags) => {
        const { validateDataAnswer } = await import('./validate-data.ts')
        printAnswer(await validateDataAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(
    withJson(createCommand('gates'))
      .description('how often release gates err: releases whose truth is known are drawn and judged, beside gates as people write them')
      .option('--releases <n>', 'how many', '2000')
      .option('--seed <n>', 'other seeds draw other releases', '1')
      .addHelpText('after', examples('ironlaw validate gates --releases 500', 'ironlaw validate gates --releases 200 --json'))
      .action(async (flags: Flags & ValidateGatesFlags) => {
        const { validateGatesAnswer } = await import('./validate-gates.ts')
        printAnswer(validateGatesAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(alarmsCommand())
  command.addCommand(
    withJson(createCommand('evaluations'))
      .description('how often the verdicts of evaluations come that plans say are likely')
      .option('--pairs <n>', 'pairs of models whose verdicts are forecast', '3000')
      .option('--seed <n>', 'other seeds draw others', '1')
      .addHelpText('after', examples('ironlaw validate evaluations --pairs 1000'))
      .action(async (flags: Flags & ValidateEvaluationsFlags) => {
        const { validateEvaluationsAnswer } = await import('./validate-evaluations.ts')
        printAnswer(validateEvaluationsAnswer(flags), flags.json === true)
      }),
  )
  return command
}

const alarmsCommand = (): Command =>
  withJson(createCommand('alarms'))
    .description(
      'how often a watch with an alarm budget alarms falsely, and how soon it finds a shift: years of traffic whose truth is known are drawn',
    )
    .option('--years <n>', 'how many', '200')
    .option('--seed <n>', 'other seeds draw other years', '1')
    .addHelpText('after', examples('ironlaw validate alarms --years 20'))
    .action(async (flags: Flags & ValidateAlarmsFlags) => {
      const { validateAlarmsAnswer } = await import('./validate-alarms.ts')
      printAnswer(validateAlarmsAnswer(flags), flags.json === true)
    })
