// The commands around serving a model: export it, run an engine, run a gateway.

import { ENGINE_FLAGS, EXPORT_FLAGS, GATEWAY_FLAGS } from '@ironlaw/contracts/programs'
import type { Command } from 'commander'
import { examples, createCommand, withContext, withJson } from '../command.ts'
import type { ExportFlags } from './export.ts'
import type { GatewayFlags } from './gateway.ts'
import { flagArguments, type ProgramFlags, withFlags } from './program-flags.ts'

export const serveCommands = (): readonly Command[] => [exportCommand(), engine(), gateway()]

function exportCommand(): Command {
  return withContext(withJson(withFlags(createCommand('export'), EXPORT_FLAGS)))
    .description('write a trained model as GGUF and safetensors, check that it answers as PyTorch does, and record its provenance')
    .argument('<source>', "a run, its directory, a checkpoint's manifest, or a directory with config.json and model.safetensors")
    .option('--data <text>', 'what it was trained on, for the record')
    .option('--code <text>', 'version of the code that trained it, for the record')
    .option('--runs <directory>', 'where the runs are (default IRONLAW_RUNS or ~/.ironlaw/runs)')
    .addHelpText(
      'after',
      examples(
        'ironlaw export tiny-llama --config tiny.config.json --held-out held-out.txt --to models/tiny',
        'ironlaw export trained --to models/tiny --format gguf --quantise q8_0,q4_0',
      ),
    )
    .action(async (source: string, flags: ExportFlags) => {
      const command = await import('./export.ts')
      await command.exportModel(source, flags)
    })
}

function engine(): Command {
  return withFlags(createCommand('engine'), ENGINE_FLAGS)
    .description("serve a model behind OpenAI's API with llama.cpp: batches, prefix reuse, metrics under the names of vLLM")
    .addHelpText(
      'after',
      examples('ironlaw engine --model models/tiny --port 8000', 'ironlaw engine --model model.gguf --slots 16 --threads 2'),
    )
    .action(async (flags: ProgramFlags) => {
      const { startProgram } = await import('./start-program.ts')
      process.exitCode = await startProgram('@ironlaw/server/engine', flagArguments(ENGINE_FLAGS, flags))
    })
}

function gateway(): Command {
  return withFlags(createCommand('gateway'), GATEWAY_FLAGS)
    .description("put OpenAI's API in front of engines: keys, quotas, budgets, routing, retries (docs/guides/gateway.md)")
    .addHelpText(
      'after',
      examples(
        'ironlaw gateway --config gateway.json --port 8080',
        'ironlaw gateway --config gateway.json --database postgres://localhost/ironlaw',
        'ironlaw gateway --control http://127.0.0.1:7600 --id gateway-1',
      ),
    )
    .action(async (flags: GatewayFlags) => {
      const { runGateway } = await import('./gateway.ts')
      process.exitCode = await runGateway(flags)
    })
}
