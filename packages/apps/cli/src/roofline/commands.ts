// `ironlaw explain roofline`.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'
import type { RooflineFlags } from './roofline-answer.ts'

type Flags = { readonly json?: true }

export function explainCommand(): Command {
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
        const { rooflineAnswer } = await import('./roofline-answer.ts')
        printAnswer(rooflineAnswer(flags), flags.json === true)
      }),
  )
  return command
}
