// The commands that plan: what to train or serve, how, and what a change would do.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'
import type { PlanFlags } from './plan.ts'
import type { WhatIfFlags } from './whatif.ts'

type Flags = { readonly json?: true }

export function planCommand(): Command {
  const command = withJson(createCommand('plan'))
    .description(
      'find the best way to train a model on a fleet, to serve one to its users, what a data spec leaves, what a sweep takes, or what an evaluation can decide: time, memory, money, and why',
    )
    .argument('[file]', 'a training, serving, RL, data, sweep or evaluation spec (YAML or JSON); if omitted, pass flags instead')
    .option('--model <name>', 'a built-in name or a config.json')
    .option('--gpus <n>', 'total number of accelerators')
    .option('--on <accelerator>', 'an accelerator of the catalog')
    .option(
      '--link <network>',
      'network between nodes: "400 Gb/s" per accelerator, "100 Gb/s per node", or a link of the catalog (default: that of the catalog node)',
    )
    .option('--tokens <n>', 'tokens to train on, for example 15.6T')
    .option('--sequence <n>', 'tokens per sequence, for example 8192 or 8k (default 8k)')
    .option('--batch <size>', 'sequences per step, or tokens such as "4M tokens" (default: by the size of the job)')
    .option('--precision <policy>', 'bf16-mixed, fp8, bf16-gradients, fsdp-mixed, lora, qlora ... (default bf16-mixed)')
    .option('--optimizer <name>', 'adam, adam-8bit or muon (default adam)')
    .option('--optimizer-on <place>', 'device, host or nvme: where states are kept (default: the device, as long as anything fits)')
    .option('--lora-rank <n>', 'rank of the adapters of precision lora and qlora (default 16)')
    .option('--lora-targets <which>', 'attention or all-linear (default all-linear)')
    .option('--runtime <name>', 'megatron-core, fsdp-compiled, fsdp-eager ... (default megatron-core)')
    .option('--region <grid>', 'a grid of the catalog, for carbon and facility overhead')
    .option('--top <n>', 'how many plans to show', '5')
    .option('--explain', 'print the assumptions behind the step, and the derivations of step, money, energy and carbon')
    .option(
      '--pareto',
      'training: time against money, the best plan for each smaller fleet worth having; serving: throughput against interactivity, and quality against cost',
    )
    .option(
      '--export <target>',
      'print the best plan for megatron, torchtitan, deepspeed, axolotl or slurm; for serving vllm, sglang or kubernetes',
    )
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw plan --model Llama-3.1-405B --gpus 16384 --on h100-sxm --tokens 15.6T',
        'ironlaw plan train.yaml --top 10 --explain',
        'ironlaw plan train.yaml --pareto',
        'ironlaw plan train.yaml --export megatron',
        'ironlaw plan serve.yaml',
        'ironlaw plan rl.yaml',
        'ironlaw plan data.yaml',
        'ironlaw plan sweep.yaml',
      ),
    )
    .action(async (file: string | undefined, flags: Flags & PlanFlags) => {
      const { planSpecAnswer } = await import('./plan-spec.ts')
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
        const { planDiffAnswer } = await import('./plan-diff.ts')
        const flags = this.optsWithGlobals<Flags & { with?: string }>()
        printAnswer(await planDiffAnswer(before, after, flags), flags.json === true)
      }),
  )
  return command
}

export function whatifCommand(): Command {
  return withJson(createCommand('whatif'))
    .description('sweep one field of a training, serving or data spec and see what moves')
    .argument('<file>', 'a training, serving or data spec')
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
        'ironlaw whatif data.yaml --set steps.2.deduplicate.similarity=0.6,0.7,0.8,0.9',
      ),
    )
    .action(async (file: string, flags: Flags & WhatIfFlags) => {
      const { specKind } = await import('./spec-kind.ts')
      const kind = specKind(file)
      const answer =
        kind === 'Serve'
          ? (await import('./whatif-serving.ts')).whatIfServingAnswer(file, flags)
          : kind === 'Data'
            ? await (await import('../data/whatif.ts')).whatIfDataAnswer(file, flags)
            : await (await import('./whatif.ts')).whatIfAnswer(file, flags)
      printAnswer(answer, flags.json === true)
    })
}

export function schemaCommand(): Command {
  return withJson(createCommand('schema'))
    .description('the fields of a spec with their units, or with --json its JSON Schema for an editor')
    .argument('[kind]', 'train, rl, data, evaluate, release, job, serve, access or teams; all kinds if omitted')
    .addHelpText('after', examples('ironlaw schema train', 'ironlaw schema serve --json > serve.schema.json'))
    .action(async (kind: string | undefined, flags: Flags) => {
      const { schemaAnswer } = await import('./schema.ts')
      printAnswer(schemaAnswer(kind), flags.json === true)
    })
}
