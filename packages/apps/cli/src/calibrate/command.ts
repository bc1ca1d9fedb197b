import { type Command, Option } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withContext, withJson } from '../command.ts'
import type { CalibrateFlags } from './calibrate.ts'
import type { EngineFlags } from './engine.ts'

const appendValue = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

export function calibrateCommand(): Command {
  return (
    withContext(withJson(createCommand('calibrate')))
      // "calibrate engine" has a --context of its own: tokens.
      .enablePositionalOptions()
      .description('measure the machine, or read what others measured, so that the next plan rests on it; learn from runs; go back')
      .option('--on <accelerator>', 'the accelerator that is measured, or a file that holds one')
      .option('--with <file>', 'lay a YAML or JSON file of your own entries over the built-in ones')
      .option('--nodes <n>', 'nodes of the measuring job', '1')
      .option('--processes <n>', 'ranks on each node: measured alone, then 2, 4 ... sharing it', '1')
      .option('--local', 'on this machine, without a control plane')
      .option('--python <command>', 'runs the measurements, with --local', '/usr/bin/python3')
      .addOption(new Option('--environment <name=value>', 'added to the environment of the job; may be repeated').argParser(appendValue))
      .option('--storage <id>', 'the storage entry that gets the measured rates', 'run-storage')
      .option('--quick', 'few shapes and short: shows that it works, measures little')
      .option('--import <file>', 'output of nccl-tests, the log of a check before a start, or one of Megatron-LM or torchtitan')
      .option('--plan <file>', 'with --import: the plan of the logged run, which is then compared with it')
      .addOption(new Option('--from <run>', 'learn from a finished run; may be repeated').argParser(appendValue))
      .option('--undo', 'take the newest version back')
      .option('--show', 'print what is in force')
      .addHelpText(
        'after',
        examples(
          'ironlaw calibrate --on h100-sxm --nodes 2 --processes 8',
          'ironlaw calibrate --on fleet.yaml --processes 4 --local',
          'ironlaw calibrate --on h100-sxm --import all_reduce_perf.txt',
          'ironlaw calibrate --on h100-sxm --import train.log --plan plan.json',
          'ironlaw calibrate --from tiny-llama',
          'ironlaw calibrate --undo',
          'ironlaw calibrate engine --model model.gguf --copies 3',
        ),
      )
      .addCommand(engine())
      .action(async (flags: CalibrateFlags & { readonly json?: true }) => {
        const { calibrate } = await import('./calibrate.ts')
        printAnswer(await calibrate(flags), flags.json === true)
      })
  )
}

function engine(): Command {
  return withJson(createCommand('engine'))
    .description(
      'measure an engine of this machine for the simulator: prompts, answers by batch, several on the same cores, a start by phase',
    )
    .option('--model <path>', 'what "ironlaw export" wrote, or a GGUF')
    .option('--as <name>', 'the name of the entry (default: that of the file)')
    .option('--copies <n>', 'engines on the same cores, up to which the slowdown is measured', '1')
    .option('--slots <n>', 'answers generated at a time', '16')
    .option('--threads <n>', 'of each engine', '1')
    .option('--context <tokens>', 'prompt and answer together', '768')
    .option('--seconds <n>', 'of each reading', '4')
    .option('--correct <file>', 'instead: factors that a replay taught, for the entry of that name')
    .addHelpText(
      'after',
      examples('ironlaw calibrate engine --model model.gguf --copies 3', 'ironlaw calibrate engine --as model --correct factors.json'),
    )
    .action(async function measureEngine(this: Command, flags: EngineFlags) {
      const { calibrateEngine } = await import('./engine.ts')
      printAnswer(await calibrateEngine(flags), this.optsWithGlobals<{ readonly json?: true }>().json === true)
    })
}
