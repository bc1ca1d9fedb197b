// Data before and after a run: datasets, what is selected for one, and the exact samples that it saw.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { BuildFlags } from './build.ts'
import type { PlacementFlags } from './placement.ts'
import type { DataPlanFlags } from './plan.ts'
import type { SelectFlags } from './select.ts'
import type { SeenFlags } from './seen.ts'
import type { ShowFlags } from './show-step.ts'
import type { WorkFlags } from './work.ts'
import type { WorthFlags } from './worth.ts'

type Flags = { readonly json?: true }

export function dataCommand(): Command {
  const command = createCommand('data').description(
    'make datasets, judge whether selecting data pays and select it, and see what a run was trained on',
  )
  command.addCommand(planCommand())
  command.addCommand(probeCommand())
  command.addCommand(buildCommand())
  command.addCommand(worthCommand())
  command.addCommand(selectCommand())
  command.addCommand(placementCommand())
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
    .option('--price <rate>', 'of a core, such as "0.04 USD/h"')
    .option('--explain', 'print how each figure was derived, and where the rate of each step came from')
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

function worthCommand(): Command {
  return withJson(createCommand('worth'))
    .description(
      'whether selecting data before training pays: what scoring costs, what it saves, and what repeating the kept text is worth',
    )
    .argument('[spec]', 'a training spec: its tokens are the pool; if omitted, pass --model and --tokens')
    .option('--model <name>', 'a built-in name, a config.json, or parameters such as 7B')
    .option('--tokens <n>', 'tokens of the pool, for example 200B')
    .option('--keep <share>', 'share of the pool that is kept', '30 %')
    .option('--epochs <n>', 'epochs of training', '1')
    .option('--proxy <model>', 'what scores the pool: parameters, or a model', '125M')
    .option('--proxy-epochs <n>', 'epochs over the pool that the proxy is trained for; 0 for one that exists', '0')
    .option('--scorings <n>', 'how often the pool is scored', '1')
    .option('--on <accelerator>', 'an accelerator of the catalog (default that of the spec, or h100-sxm)')
    .option('--gpus <n>', 'number of accelerators (default that of the spec, or 8)')
    .option('--efficiency <share>', 'share of peak that scoring and training reach', '40 %')
    .option('--explain', 'print the derivation of each figure')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw data worth train.yaml --keep "30 %" --proxy 125M',
        'ironlaw data worth --model 7B --tokens 200B --keep 0.1 --epochs 4 --proxy 350M --scorings 2',
        'ironlaw data worth train.yaml --explain',
      ),
    )
    .action(async (spec: string | undefined, flags: Flags & WorthFlags) => {
      const { worthAnswer } = await import('./worth.ts')
      printAnswer(worthAnswer(spec, flags), flags.json === true)
    })
}

function selectCommand(): Command {
  return withJson(createCommand('select'))
    .description('keep the documents with the highest scores, with a minimum of each class: what scores alone or a random draw would miss')
    .argument('<scores>', 'JSON lines or Parquet with an id, a score and a class in each record: a file, a directory or a pattern')
    .requiredOption('--keep <part>', 'share of the documents such as "30 %", or their number')
    .option('--per-class <n>', 'documents of each class that are kept whatever their scores, such as 150')
    .option(
      '--to <file>',
      'write the kept records as they are, to a .jsonl or .jsonl.zst; one that has the text is a source of a data spec',
    )
    .option('--before <file>', 'a selection by earlier scores, of the same size and minimums: says whether those are stale')
    .option('--lowest', 'low scores are better, such as perplexity')
    .option('--id <field>', 'field with the id', 'id')
    .option('--score <field>', 'field with the score', 'score')
    .option('--class <field>', 'field with the class, such as a language or a source', 'class')
    .addHelpText(
      'after',
      examples(
        'ironlaw data select scores.jsonl --keep "30 %" --per-class 20',
        'ironlaw data select scores.jsonl --keep 50 --to coreset.jsonl.zst --json',
        'ironlaw data select scores.jsonl --keep "30 %" --before earlier-coreset.jsonl',
      ),
    )
    .action(async (scores: string, flags: Flags & SelectFlags) => {
      const { selectAnswer } = await import('./select.ts')
      printAnswer(await selectAnswer(scores, flags), flags.json === true)
    })
}

function placementCommand(): Command {
  return withJson(createCommand('placement'))
    .description(
      'whether to move data to the machines or to run where it lies: time and money of both, and up to how much data moving saves',
    )
    .argument('<data>', 'how much there is, such as "50 TB"')
    .requiredOption('--link <rate>', 'what the link between the sites sustains, such as "10 Gb/s"')
    .requiredOption('--time-here <time>', 'the job where the data lies, such as "6 d"')
    .requiredOption('--time-there <time>', 'the same job on the other machines')
    .option('--egress <price>', 'of leaving the site, such as "0.09 USD/GB"', '0 USD/GB')
    .option('--cost-here <money>', 'of the job where the data lies, such as "9000 USD"', '0 USD')
    .option('--cost-there <money>', 'of the job on the other machines', '0 USD')
    .option('--explain', 'print the derivation of each figure')
    .addHelpText(
      'after',
      examples(
        'ironlaw data placement "50 TB" --link "10 Gb/s" --time-here "6 d" --time-there "1 d"',
        'ironlaw data placement "1 PB" --link "100 Gb/s" --egress "0.09 USD/GB" --time-here "2 d" --time-there "3 h" --cost-here "90k USD" --cost-there "20k USD"',
      ),
    )
    .action(async (data: string, flags: Flags & PlacementFlags) => {
      const { placementAnswer } = await import('./placement.ts')
      printAnswer(placementAnswer(data, flags), flags.json === true)
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
