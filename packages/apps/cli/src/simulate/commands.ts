// `ironlaw simulate` and `ironlaw validate reliability`: flags and help. Their code is loaded when they run.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withJson } from '../command.ts'
import { simulateServeCommand } from './simulate-serve-command.ts'
import type { SimulateRolloutFlags } from './simulate-rollout.ts'
import type { SimulateFlags } from './simulate.ts'
import type { ValidateReliabilityFlags } from '../validate/validate-reliability.ts'

type Flags = { readonly json?: true }

const withSample = (command: Command, replicas: string): Command =>
  command.option('--replicas <n>', 'simulated runs', replicas).option('--seed <n>', 'random seed; the same seed gives the same answer', '1')

export function simulateCommand(): Command {
  const command = createCommand('simulate').description('simulate a run with failures, or a deployment under traffic')
  command.addCommand(
    withSample(withJson(createCommand('run')), '1000')
      .description(
        'simulate a plan with failures: when it ends, where the time goes, how often to checkpoint, how many spare nodes to hold',
      )
      .argument('<file>', 'a plan, what "ironlaw plan --json" printed, or a training spec')
      .option('--storage <id>', 'a storage tier of the catalog for checkpoints (default parallel-lustre)')
      .option('--spares <n>', 'spare nodes (default: enough in 99.9 % of the time)')
      .option('--interval <time>', "time between checkpoints (default: Daly's)")
      .option('--deadline <time>', 'also compare on-demand, reserved and spot machines for this deadline')
      .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
      .addHelpText(
        'after',
        examples('ironlaw simulate run train.yaml --replicas 100', 'ironlaw simulate run before.plan.json --replicas 100 --deadline 90d'),
      )
      .action(async (file: string, flags: Flags & SimulateFlags) => {
        const { simulateRunAnswer } = await import('./simulate.ts')
        printAnswer(simulateRunAnswer(file, flags), flags.json === true)
      }),
  )
  command.addCommand(
    withJson(createCommand('checkpoint-table'))
      .description('compare the closed forms of Young and Daly with simulation, for hours to months between failures')
      .option('--seed <n>', 'random seed', '1')
      .addHelpText('after', examples('ironlaw simulate checkpoint-table'))
      .action(async (flags: Flags & { seed: string }) => {
        const { checkpointTableAnswer } = await import('./simulate.ts')
        printAnswer(checkpointTableAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(
    withSample(withJson(createCommand('rollout')), '1000')
      .description('how often the canary analysis rolls back a good revision or promotes a bad one')
      .addHelpText('after', examples('ironlaw simulate rollout --replicas 100'))
      .action(async (flags: Flags & SimulateRolloutFlags) => {
        const { simulateRolloutAnswer } = await import('./simulate-rollout.ts')
        printAnswer(simulateRolloutAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(simulateServeCommand())
  return command
}

export function validateReliabilityCommand(): Command {
  return withSample(withJson(createCommand('reliability')), '400')
    .description('predict the interruptions and effective training time of published campaigns, and compare')
    .addHelpText('after', examples('ironlaw validate reliability', 'ironlaw validate reliability --json'))
    .action(async (flags: Flags & ValidateReliabilityFlags) => {
      const { validateReliabilityAnswer } = await import('../validate/validate-reliability.ts')
      printAnswer(validateReliabilityAnswer(flags), flags.json === true)
    })
}
