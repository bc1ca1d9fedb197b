// `ironlaw simulate serve`: flags and help.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withJson } from '../command.ts'
import type { SimulateServeFlags } from './simulate-serve-flags.ts'

export function simulateServeCommand(): Command {
  return withJson(createCommand('serve'))
    .description('simulate a deployment request by request: latencies that users see, with routing, batching, caching and failures')
    .argument('[file]', 'a serving spec, a plan, or what "ironlaw plan --json" printed; if omitted, pass flags instead')
    .option('--engine <name>', 'simulate an engine that "ironlaw calibrate engine" measured instead')
    .option('--one-machine', 'with --engine: its replicas share the cores of one machine and slow each other down as measured')
    .option('--model <name>', 'a built-in name or a config.json')
    .option('--on <accelerator>', 'an accelerator of the catalog')
    .option('--tensor <n>', 'accelerators that share each layer', '1')
    .option('--precision <name>', 'precision of the weights', 'bf16')
    .option('--replicas <n>', 'number of replicas (default: as planned, or 1 without a plan)')
    .option('--rate <n>', 'requests a second')
    .option('--input <n>', 'mean prompt length in tokens')
    .option('--output <n>', 'mean answer length in tokens')
    .option('--burstiness <n>', 'variation of the time between requests; 1 is Poisson', '1')
    .option('--trace <file>', 'replay a trace: Azure, Mooncake, BurstGPT, or the log of our gateway; .gz too')
    .option('--speed <n>', 'replay a trace N times as fast', '1')
    .option('--requests <n>', 'number of requests to generate without a trace', '20000')
    .option('--router <name>', 'round-robin, two-choices, least-tokens, prefix-aware, kv-aware or sticky', 'two-choices')
    .option('--ttft <time>', 'objective for the time to first token')
    .option('--tpot <time>', 'objective for the time per output token')
    .option('--autoscale <n>', 'autoscale up to N replicas')
    .option('--cold-start <time>', 'time until a new replica serves (default: 60s, or as measured for the engine)')
    .option('--mtbf <time>', 'mean time until a replica fails')
    .option('--repair <time>', 'time until a failed replica serves again', '10min')
    .option('--seed <n>', 'random seed; the same seed gives the same answer', '1')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
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
