// The data of a run: the exact samples of a step, and the steps that saw a document.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { BuildFlags } from './build.ts'
import type { DataPlanFlags } from './plan.ts'
import type { SeenFlags } from './seen.ts'
import type { ShowFlags } from './show-step.ts'
import type { WorkFlags } from './work.ts'

type Flags = { readonly json?: true }

export function dataCommand(): Command {
  const command = createCommand('data').description(
    'make datasets, and see what a run was trained on: the samples of a step, and the steps that saw a document',
  )
  command.addCommand(planCommand())
  command.addCommand(probeCommand())
  command.addCommand(buildCommand())
  command.addCommand(workCommand(), { hidden: true })
  command.addCommand(orderCommand())
  command.addCommand(showCommand())
  command.addCommand(seenCommand())
  return command
}

const SHARE_HELP =
  'share of the contents that runs through the steps, such as 0.05 or "5 %" (default 1 %, and more where that is less than 100 MB)'

function planCommand(): Command {
  return withJson(createCommand('plan'))
    .description('predict what the steps of a data spec leave, how long they take, what they need and what binds first')
    .argument('<spec>', 'YAML or JSON of kind Data')
    .option('--share <share>', SHARE_HELP)
    .option('--probe <file>', 'plan from what "ironlaw data probe --json" printed, without reading the corpus again')
    .option('--workers <n>', 'processes; those of the spec, or one for each core, when left out')
    .option('--corpus <bytes>', 'as if the sources were this large, such as "10 TB"')
    .option('--storage <rate>', 'what storage gives all workers together, such as "20 GB/s"')
    .option('--price <rate>', 'of a core, such as "$0.04/h"')
    .addHelpText(
      'after',
      examples(
        'ironlaw data plan corpus.yaml',
        'ironlaw data probe corpus.yaml --json > probe.json',
        'ironlaw data plan corpus.yaml --probe probe.json --corpus "10 TB" --workers 1000 --storage "20 GB/s"',
      ),
    )
    .action(async (spec: string, flags: Flags & DataPlanFlags) => {
      const { planDatasetAnswer } = await import('./plan.ts')
      printAnswer(await planDatasetAnswer(spec, flags), flags.json === true)
    })
}

function probeCommand(): Command {
  return withJson(createCommand('probe'))
    .description(
      'read the sources of a data spec once and run a sample of whole groups of duplicates through its steps: what plans are made from',
    )
    .argument('<spec>', 'YAML or JSON of kind Data')
    .option('--share <share>', SHARE_HELP)
    .addHelpText('after', examples('ironlaw data probe corpus.yaml --json > probe.json'))
    .action(async (spec: string, flags: Flags & DataPlanFlags) => {
      const { probeAnswer } = await import('./plan.ts')
      printAnswer(await probeAnswer(spec, flags), flags.json === true)
    })
}

function buildCommand(): Command {
  return withJson(createCommand('build'))
    .description('make the dataset of a data spec on this machine; interrupted, it goes on where it was')
    .argument('<spec>', 'YAML or JSON of kind Data')
    .option('--to <directory>', 'where the dataset is put; the name of the spec when left out')
    .option('--work <directory>', 'where unfinished work is kept; .ironlaw-data beside the dataset when left out')
    .option('--workers <n>', 'processes; as many as there are cores when left out')
    .addHelpText(
      'after',
      examples('ironlaw data build corpus.yaml', 'ironlaw data build corpus.yaml --workers 16 --to /data/corpus --json'),
    )
    .action(async (spec: string, flags: Flags & BuildFlags) => {
      const { buildDataset } = await import('./build.ts')
      printAnswer(await buildDataset(spec, flags), flags.json === true)
    })
}

function workCommand(): Command {
  return createCommand('work')
    .description('one process of a run that makes a dataset: "ironlaw apply" of a data spec starts it on the nodes')
    .argument('<spec>', 'YAML or JSON of kind Data; its paths start from the working directory')
    .option('--work <directory>', 'where unfinished work is kept; in the directory of the run when left out')
    .option('--to <directory>', 'where the dataset is put until it is an artifact; in the directory of the run when left out')
    .action(async (spec: string, flags: WorkFlags) => {
      const { workOnDataset } = await import('./work.ts')
      await workOnDataset(spec, flags)
    })
}

function orderCommand(): Command {
  return withJson(createCommand('order'))
    .description('write the order in which samples of token datasets are seen: data-order.json, which a run uses as an artifact')
    .argument('<name=directory[:weight]...>', 'token datasets, each with a name and its share of the samples')
    .option('--seed <n>', 'another seed is another order', '1')
    .addHelpText('after', examples('ironlaw data order web=tokens/web:7 code=tokens/code:3 --seed 42 > data-order.json'))
    .action(async (sources: string[], flags: Flags & { readonly seed: string }) => {
      const { orderAnswer } = await import('./order.ts')
      printAnswer(orderAnswer(sources, flags), flags.json === true)
    })
}

function showCommand(): Command {
  return withContext(withJson(createCommand('show')))
    .description('print the samples that a step of a run saw: source, sample, documents, text or tokens')
    .argument('<run>', 'a run that uses a data order and its datasets as artifacts')
    .requiredOption('--step <n>', 'which step, counted from one')
    .option('--samples <n>', 'how many samples of the batch', '4')
    .option('--tokens <n>', 'how many tokens of each', '64')
    .addHelpText(
      'after',
      examples('ironlaw data show tiny-llama --step 4120', 'ironlaw data show tiny-llama --step 4120 --samples 64 --json'),
    )
    .action(async (run: string, flags: Flags & ShowFlags) => {
      const { showStep } = await import('./show-step.ts')
      printAnswer(await showStep(run, flags), flags.json === true)
    })
}

function seenCommand(): Command {
  return withContext(withJson(createCommand('seen')))
    .description('the steps of a run that saw a document, and the first')
    .argument('<run>', 'a run that uses a data order and its datasets as artifacts')
    .requiredOption('--source <name>', 'source of the data order')
    .requiredOption('--document <n>', 'number of the document in its dataset, counted from zero')
    .addHelpText('after', examples('ironlaw data seen tiny-llama --source web --document 1234'))
    .action(async (run: string, flags: Flags & SeenFlags) => {
      const { seenAnswer } = await import('./seen.ts')
      printAnswer(await seenAnswer(run, flags), flags.json === true)
    })
}
