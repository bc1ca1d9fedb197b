// The commands about models: import one, export a trained one.

import { EXPORT_FLAGS } from '@ironlaw/contracts/programs'
import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import { withFlags } from '../programs/program-flags.ts'
import type { ExportFlags } from './export.ts'

type Flags = { readonly json?: true }

export function modelCommand(): Command {
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
      const { modelAnswer } = await import('./model.ts')
      printAnswer(modelAnswer(name, flags), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('compare counted with published parameters for every built-in model')
      .action(async (_: unknown, self: Command) => {
        const { modelCheckAnswer } = await import('./model.ts')
        printAnswer(modelCheckAnswer(), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}

export function exportCommand(): Command {
  return withContext(withJson(withFlags(createCommand('export'), EXPORT_FLAGS)))
    .description('write a trained model as GGUF and safetensors, check that it answers as PyTorch does, and record its provenance')
    .argument('<source>', "a run, its directory, a checkpoint's manifest, or a directory with config.json and model.safetensors")
    .option('--data <text>', 'what it was trained on, for the record')
    .option('--code <text>', 'version of the code that trained it, for the record')
    .option('--environment <text>', 'image or packages that it was trained with, for the record')
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
