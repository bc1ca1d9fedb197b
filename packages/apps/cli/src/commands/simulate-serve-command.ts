// `ironlaw simulate serve`: flags and help.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withJson } from '../command.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'

export function simulateServeCommand(): Command {
  return withJson(createCommand('serve'))
    .description('what users of a deployment feel: every request through routers, batches, cache and failures')
    .argument('[file]', 'a serving spec, a plan, or what "ironlaw plan --json" printed; flags instead of it when left out')
    .option('--engine <name>', 'instead: a replica as "ironlaw calibrate engine" measured it')
    .option('--one-machine', 'with --engine: its replicas share the cores of one machine and slow each other as measured')
    .option('--model <name>', 'a built-in name or a config.json')
    .option('--on <accelerator>', 'an accelerator of the catalog')
    .option('--tensor <n>', 'accelerators that share each layer', '1')
    .option('--precision <name>', 'of the weights', 'bf16')
    .option('--replicas <n>', 'instead of what the plan says (default: 1 where there is none)')
    .option('--rate <n>', 'requests a second')
    .option('--input <n>', 'tokens of a prompt, on average')
    .option('--output <n>', 'tokens of an answer, on average')
    .option('--burstiness <n>', 'variation of the time between requests; 1 is Poisson', '1')
    .option('--trace <file>', 'replay a trace: Azure, Mooncake, BurstGPT, or the log of our gateway; .gz too')
    .option('--speed <n>', 'replay a trace N times as fast', '1')
    .option('--requests <n>', 'how many to draw when no trace is given', '20000')
    .option('--router <name>', 'round-robin, two-choices, least-tokens, prefix-aware, kv-aware or sticky', 'two-choices')
    .option('--ttft <time>', 'objective for the first token')
    .option('--tpot <time>', 'objective for each further token')
    .option('--autoscale <n>', 'autoscale up to N replicas')
    .option('--cold-start <time>', 'until a new replica serves (default: 60s, or what was measured of the engine)')
    .option('--mtbf <time>', 'mean time until a replica fails')
    .option('--repair <time>', 'until a failed replica serves again', '10min')
    .option('--seed <n>', 'of the random numbers: the same seed, the same answer', '1')
    .option('--with <file>', 'lay a YAML or JSON file of your own entries over the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw simulate serve serve.yaml',
        'ironlaw simulate serve serve.yaml --trace requests.jsonl --router kv-aware',
        'ironlaw simulate serve --model Llama-3.1-8B --on h100-sxm --replicas 4 --rate 40 --input 1000 --output 200 --ttft 500ms --tpot 30ms',
      ),
    )
    .action(async (file: string | undefined, flags: SimulateServeFlags & { readonly json?: true }) => {
      const { simulateServeAnswer } = await import('./simulate-serve.ts')
      printAnswer(simulateServeAnswer(file, flags), flags.json === true)
    })
}
