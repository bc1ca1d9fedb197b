// `ironlaw simulate` and `ironlaw validate reliability`: flags and help. Their code is loaded when they run.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withJson } from '../command.ts'
import { simulateServeCommand } from './simulate-serve-command.ts'
import type { SimulateRolloutFlags } from './simulate-rollout.ts'
import type { SimulateFlags } from './simulate.ts'
import type { ValidateReliabilityFlags } from './validate-reliability.ts'

type Flags = { readonly json?: true }

const withSample = (command: Command, replicas: string): Command =>
  command
    .option('--replicas <n>', 'simulated runs', replicas)
    .option('--seed <n>', 'of the random numbers: the same seed, the same answer', '1')

export function simulateCommand(): Command {
  const command = createCommand('simulate').description('what failures do to a run, and traffic to a deployment')
  command.addCommand(
    withSample(withJson(createCommand('run')), '1000')
      .description('when a plan ends on machines that fail, where its time goes, how often to checkpoint, how many spares to hold')
      .argument('<file>', 'a plan, what "ironlaw plan --json" printed, or a training spec')
      .option('--storage <id>', 'a storage tier of the catalog for checkpoints (default parallel-lustre)')
      .option('--spares <n>', 'spare nodes (default: enough in 99.9 % of the time)')
      .option('--interval <time>', "time between checkpoints (default: Daly's)")
      .option('--deadline <time>', 'also compare on-demand, reserved and spot machines for it')
      .option('--with <file>', 'lay a YAML or JSON file of your own entries over the built-in ones')
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
      .description('the closed forms of Young and Daly against simulation, from hours to months between failures')
      .option('--seed <n>', 'of the random numbers', '1')
      .addHelpText('after', examples('ironlaw simulate checkpoint-table'))
      .action(async (flags: Flags & { seed: string }) => {
        const { checkpointTableAnswer } = await import('./simulate.ts')
        printAnswer(checkpointTableAnswer(flags), flags.json === true)
      }),
  )
  command.addCommand(
    withSample(withJson(createCommand('rollout')), '1000')
      .description('how often the judge of canaries takes a good revision back or lets a bad one through')
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
  return withSample(withJson(createCommand('reliability')), '100')
    .description('what published campaigns said of interruptions and effective training time, predicted')
    .addHelpText('after', examples('ironlaw validate reliability', 'ironlaw validate reliability --json'))
    .action(async (flags: Flags & ValidateReliabilityFlags) => {
      const { validateReliabilityAnswer } = await import('./validate-reliability.ts')
      printAnswer(validateReliabilityAnswer(flags), flags.json === true)
    })
}
