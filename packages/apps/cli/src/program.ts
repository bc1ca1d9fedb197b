// The commands, their flags and their help. A command's code is loaded only when it runs.

import type { Command } from 'commander'
import { printAnswer } from './answer.ts'
import { calibrateCommand } from './calibrate/command.ts'
import { examples, createCommand, withJson } from './command.ts'
import type { PlanFlags } from './commands/plan.ts'
import { simulateCommand, validateReliabilityCommand } from './commands/simulate-commands.ts'
import type { ValidateFlags } from './commands/validate.ts'
import type { WhatIfFlags } from './commands/whatif.ts'
import { deployCommands } from './deploy/commands.ts'
import { operateCommands } from './operate/commands.ts'
import { serveCommands } from './serve/commands.ts'
import type { RooflineFlags } from './commands/roofline.ts'

type Flags = { readonly json?: true }

export function program(): Command {
  const root = createCommand('ironlaw')
    .description('Plan, run and operate machine-learning fleets by the physics that governs them.')
    .version('0.1.0')
    .addHelpText(
      'after',
      examples(
        'ironlaw plan --model Llama-3.1-405B --gpus 16384 --on h100-sxm --tokens 15.6T',
        'ironlaw catalog h100-sxm --against b200',
        'ironlaw model meta-llama/Llama-3.1-70B',
        'ironlaw explain roofline --model Llama-3.1-8B --on h100-sxm --batch 1,8,64',
      ),
    )
  for (const command of [
    plan(),
    whatif(),
    simulateCommand(),
    ...operateCommands(),
    ...deployCommands(),
    ...serveCommands(),
    calibrateCommand(),
    validate(),
    law(),
    catalog(),
    model(),
    explain(),
    schema(),
    completion(root),
  ])
    root.addCommand(command)
  root.addCommand(complete(), { hidden: true })
  return root
}

function plan(): Command {
  const command = withJson(createCommand('plan'))
    .description('find the best way to train a model on a fleet, or to serve one to its users: time, memory, money, and why')
    .argument('[file]', 'a training or serving spec (YAML or JSON); if omitted, pass flags instead')
    .option('--model <name>', 'a built-in name or a config.json')
    .option('--gpus <n>', 'total number of accelerators')
    .option('--on <accelerator>', 'an accelerator of the catalog')
    .option(
      '--link <network>',
      'network between nodes: "400 Gb/s" per accelerator, "100 Gb/s per node", or a link of the catalog (default: that of the catalog node)',
    )
    .option('--tokens <n>', 'tokens to train on, for example 15.6T')
    .option('--sequence <n>', 'tokens per sequence, for example 8192 or 8k (default 8k)')
    .option('--batch <size>', 'sequences per step, or tokens such as "4M tokens" (default: 2^24 tokens)')
    .option('--precision <policy>', 'bf16-mixed, fp8, bf16-gradients, fsdp-mixed, lora, qlora ... (default bf16-mixed)')
    .option('--runtime <name>', 'megatron-core, fsdp-compiled, fsdp-eager ... (default megatron-core)')
    .option('--region <grid>', 'a grid of the catalog, for carbon and facility overhead')
    .option('--top <n>', 'how many plans to show', '5')
    .option('--explain', 'print the assumptions behind the step, and the derivations of step, money, energy and carbon')
    .option('--pareto', 'time against money: the best plan for each smaller fleet worth having')
    .option('--export <target>', 'print the best plan for megatron, torchtitan, deepspeed or slurm; for serving vllm, sglang or kubernetes')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw plan --model Llama-3.1-405B --gpus 16384 --on h100-sxm --tokens 15.6T',
        'ironlaw plan train.yaml --top 10 --explain',
        'ironlaw plan train.yaml --pareto',
        'ironlaw plan train.yaml --export megatron',
        'ironlaw plan serve.yaml',
      ),
    )
    .action(async (file: string | undefined, flags: Flags & PlanFlags) => {
      const { planSpecAnswer } = await import('./commands/plan-spec.ts')
      printAnswer(await planSpecAnswer(file, flags), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('diff'))
      .description('compare two plans: what they decide and assume differently, the result, and which terms of the step changed')
      .argument(
        '<before>',
        'a training spec, which is planned, what "ironlaw plan --json" printed, or the id of a plan that the control plane keeps',
      )
      .argument('<after>', 'another')
      .addHelpText('after', examples('ironlaw plan diff train.yaml fixed-train.yaml', 'ironlaw plan diff before.plan.json after.plan.json'))
      .action(async function diff(this: Command, before: string, after: string) {
        const { planDiffAnswer } = await import('./commands/plan-diff.ts')
        const flags = this.optsWithGlobals<Flags & { with?: string }>()
        printAnswer(await planDiffAnswer(before, after, flags), flags.json === true)
      }),
  )
  return command
}

function whatif(): Command {
  return withJson(createCommand('whatif'))
    .description('sweep one field of a training or serving spec and see what moves')
    .argument('<file>', 'a training or serving spec')
    .requiredOption('--set <path=from..to>', 'the field and its range, or a list: path=a,b,c')
    .option('--csv', 'print comma-separated values')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw whatif train.yaml --set fleet.link=400Gb/s..1600Gb/s',
        'ironlaw whatif train.yaml --set fleet.count=128..1024 --csv',
        'ironlaw whatif train.yaml --set precision=bf16-mixed,fp8',
        'ironlaw whatif serve.yaml --set traffic.requests_per_s=10..80',
      ),
    )
    .action(async (file: string, flags: Flags & WhatIfFlags) => {
      const { specKind } = await import('./spec-kind.ts')
      const isServing = specKind(file) === 'Serve'
      const answer = isServing
        ? (await import('./commands/whatif-serving.ts')).whatIfServingAnswer(file, flags)
        : await (await import('./commands/whatif.ts')).whatIfAnswer(file, flags)
      printAnswer(answer, flags.json === true)
    })
}

function validate(): Command {
  const command = createCommand('validate').description('compare predictions with published measurements')
  command.addCommand(
    withJson(createCommand('training'))
      .description(
        'the error of the training planner on every published run, by set, source, accelerator, model family, scale and parallelism',
      )
      .option(
        '--data <folder>',
        'a folder with vtrain/ground_truth_single.csv and _multi.csv, which are not shipped; IRONLAW_DATA if omitted',
      )
      .option('--rows', 'every row in the JSON, not only the worst')
      .addHelpText('after', examples('ironlaw validate training', 'ironlaw validate training --json'))
      .action(async (flags: Flags & ValidateFlags) => {
        const { validateTrainingAnswer } = await import('./commands/validate.ts')
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
        const { validateServingAnswer } = await import('./commands/validate-serving.ts')
        printAnswer(validateServingAnswer(flags), flags.json === true)
      }),
  )
  return command
}

function law(): Command {
  const command = withJson(createCommand('law'))
    .description('look up a law of the book, or apply it to values')
    .argument('[id]', 'a law, or a domain to list; all domains if omitted')
    .option('--explain', 'print the derivation: formula, inputs, units, sources')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      `\nThe law's inputs are flags of the same name, values with their unit.\n${examples('ironlaw law reliability', 'ironlaw law reliability/young-daly', 'ironlaw law reliability/young-daly --write-time 2min --mtbf 4h --explain')}`,
    )
    .action(async (id: string | undefined, flags: Flags & { explain?: true }, self: Command) => {
      const { lawAnswer } = await import('./commands/law.ts')
      printAnswer(lawAnswer(id, self.args.slice(1), flags.explain === true), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('run every worked example of the book')
      .action(async (_: unknown, self: Command) => {
        const { lawCheckAnswer } = await import('./commands/law-check.ts')
        printAnswer(lawCheckAnswer(), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}

function catalog(): Command {
  const command = withJson(createCommand('catalog'))
    .description('accelerators, nodes, links, storage, failure rates, prices and grids, each figure with its source')
    .argument('[id]', 'an entry, or a kind to list; all kinds if omitted')
    .option('--against <id>', 'compare with another entry of the same kind')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples('ironlaw catalog accelerators', 'ironlaw catalog h100-sxm --against b200', 'ironlaw catalog h100-sxm --with fleet.yaml'),
    )
    .action(async (id: string | undefined, flags: Flags & { against?: string; with?: string }) => {
      const { catalogAnswer } = await import('./commands/catalog.ts')
      printAnswer(catalogAnswer(id, flags), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('check every figure: unit, source, date, references and plausibility')
      .action(async (_: unknown, self: Command) => {
        const { catalogCheckAnswer } = await import('./commands/catalog.ts')
        printAnswer(catalogCheckAnswer(self.optsWithGlobals<{ with?: string }>().with), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}

function model(): Command {
  const command = withJson(createCommand('model'))
    .description('import a model: parameters, operators, KV cache, activations')
    .argument('[name]', 'a built-in name, a config.json or a directory that holds one; the built-in names if omitted')
    .option('--batch <n>', 'sequences at once', '1')
    .option('--sequence <n>', 'tokens per sequence', '4096')
    .option('--operators', 'list the operators of one forward pass')
    .addHelpText(
      'after',
      examples('ironlaw model meta-llama/Llama-3.1-70B', 'ironlaw model ./config.json --operators', 'ironlaw model DeepSeek-V3 --json'),
    )
    .action(async (name: string | undefined, flags: Flags & { batch: string; sequence: string; operators?: true }) => {
      const { modelAnswer } = await import('./commands/model.ts')
      printAnswer(modelAnswer(name, flags), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('compare counted with published parameters for every built-in model')
      .action(async (_: unknown, self: Command) => {
        const { modelCheckAnswer } = await import('./commands/model.ts')
        printAnswer(modelCheckAnswer(), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}

function explain(): Command {
  const command = createCommand('explain').description('show where a number comes from')
  command.addCommand(
    withJson(createCommand('roofline'))
      .description('what binds a model on an accelerator: bandwidth or arithmetic, by batch')
      .requiredOption('--model <name>', 'a built-in name or a config.json')
      .requiredOption('--on <accelerator>', 'an accelerator of the catalog')
      .option('--batch <list>', 'sequences decoded at once', '1,8,64,256')
      .option('--context <n>', 'tokens already in each sequence', '2048')
      .option('--precision <name>', 'bf16, fp8, int8, fp4 ...', 'bf16')
      .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
      .addHelpText(
        'after',
        examples(
          'ironlaw explain roofline --model Llama-3.1-8B --on h100-sxm --batch 1,8,64',
          'ironlaw explain roofline --model gpt-oss-20b --on l40s --precision fp8',
        ),
      )
      .action(async (flags: Flags & RooflineFlags) => {
        const { rooflineAnswer } = await import('./commands/roofline.ts')
        printAnswer(rooflineAnswer(flags), flags.json === true)
      }),
  )
  return command
}

function schema(): Command {
  return withJson(createCommand('schema'))
    .description('the fields of a spec with their units, or with --json its JSON Schema for an editor')
    .argument('[kind]', 'train, job, serve or access; all kinds if omitted')
    .addHelpText('after', examples('ironlaw schema train', 'ironlaw schema serve --json > serve.schema.json'))
    .action(async (kind: string | undefined, flags: Flags) => {
      const { schemaAnswer } = await import('./commands/schema.ts')
      printAnswer(schemaAnswer(kind), flags.json === true)
    })
}

/** For completion scripts, which must not print errors. */
function complete(): Command {
  return createCommand('complete')
    .argument('<kind>')
    .action(async (kind: string) => {
      const { completeNames } = await import('./operate/complete.ts')
      process.stdout.write((await completeNames(kind)).map((name) => `${name}\n`).join(''))
    })
}

function completion(root: Command): Command {
  return createCommand('completion')
    .description('print a completion script for your shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      examples('ironlaw completion bash > /etc/bash_completion.d/ironlaw', 'ironlaw completion zsh > "${fpath[1]}/_ironlaw"'),
    )
    .action(async (shell: string) => {
      const { completionScript } = await import('./commands/completion.ts')
      process.stdout.write(completionScript(shell, root))
    })
}
