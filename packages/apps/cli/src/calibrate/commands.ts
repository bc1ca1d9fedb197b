import { type Command, Option } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withContext, withJson } from '../command.ts'
import type { CalibrateFlags } from './calibrate.ts'
import type { EngineFlags } from './engine.ts'
import type { QualityFlags } from './quality.ts'

const appendValue = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

export function calibrateCommand(): Command {
  return (
    withContext(withJson(createCommand('calibrate')))
      // "calibrate engine" has a --context of its own: tokens.
      .enablePositionalOptions()
      .description('measure this machine, import measurements, or learn from finished runs, so that later plans use the results; or undo')
      .option('--on <accelerator>', 'the accelerator to measure, or a file that describes one')
      .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
      .option('--nodes <n>', 'number of nodes to measure on', '1')
      .option('--processes <n>', 'ranks on each node: measured alone, then 2, 4 ... sharing it', '1')
      .option('--local', 'measure on this machine, without a control plane')
      .option('--python <command>', 'with --local: the Python that runs the measurements', '/usr/bin/python3')
      .addOption(new Option('--environment <name=value>', 'environment variable of the job; may be repeated').argParser(appendValue))
      .option('--storage <id>', 'the storage entry that gets the measured rates', 'run-storage')
      .option('--quick', 'fewer shapes and shorter readings: a smoke test rather than a measurement')
      .option('--import <file>', 'output of nccl-tests, the log of a check before a start, or one of Megatron-LM or torchtitan')
      .option('--plan <file>', 'with --import: the plan of the logged run; with --from and a file: that of the dataset; to compare with')
      .addOption(
        new Option(
          '--from <run>',
          'learn from a finished run, or from a file that "ironlaw data build --json" wrote; may be repeated',
        ).argParser(appendValue),
      )
      .option('--undo', 'undo the newest version')
      .option('--show', 'print the calibration in force')
      .addHelpText(
        'after',
        examples(
          'ironlaw calibrate --on h100-sxm --nodes 2 --processes 8',
          'ironlaw calibrate --on fleet.yaml --processes 4 --local',
          'ironlaw calibrate --on h100-sxm --import all_reduce_perf.txt',
          'ironlaw calibrate --on h100-sxm --import train.log --plan plan.json',
          'ironlaw calibrate --from tiny-llama',
          'ironlaw calibrate --from build-1.json --from build-2.json',
          'ironlaw calibrate --undo',
          'ironlaw calibrate engine --model model.gguf --copies 3',
          'ironlaw calibrate quality evaluations/bf16 evaluations/int4 --precision int4',
        ),
      )
      .addCommand(engine())
      .addCommand(quality())
      .action(async (flags: CalibrateFlags & { readonly json?: true }) => {
        const { calibrate } = await import('./calibrate.ts')
        printAnswer(await calibrate(flags), flags.json === true)
      })
  )
}

function engine(): Command {
  return withJson(createCommand('engine'))
    .description(
      'measure an engine on this machine for the simulator: prefill, decoding by batch size, several engines on the same cores, startup by phase',
    )
    .option('--model <path>', 'what "ironlaw export" wrote, or a GGUF')
    .option('--as <name>', 'name of the entry (default: the name of the file)')
    .option('--copies <n>', 'measure the slowdown with up to this many engines on the same cores', '1')
    .option('--slots <n>', 'answers generated concurrently', '16')
    .option('--threads <n>', 'threads per engine', '1')
    .option('--context <tokens>', 'context length, prompt and answer together', '768')
    .option('--seconds <n>', 'duration of each reading in seconds', '4')
    .option('--correct <file>', 'instead of measuring, apply the correction factors of a replay to the entry')
    .addHelpText(
      'after',
      examples('ironlaw calibrate engine --model model.gguf --copies 3', 'ironlaw calibrate engine --as model --correct factors.json'),
    )
    .action(async function measureEngine(this: Command, flags: EngineFlags) {
      const { calibrateEngine } = await import('./engine.ts')
      printAnswer(await calibrateEngine(flags), this.optsWithGlobals<{ readonly json?: true }>().json === true)
    })
}

function quality(): Command {
  return withJson(createCommand('quality'))
    .description(
      'keep how far precisions of a model score below its reference precision, compared item by item, so that serving plans count with it',
    )
    .argument('<reference>', 'directory of an evaluation of the reference precision')
    .argument('<candidates...>', 'directories of evaluations of other precisions, by the same instrument on the same items')
    .option('--model <name>', 'model as serving specs name it (default: as the evaluation of the reference names it)')
    .option('--reference <precision>', 'weights of the reference (default: as its evaluation says, else bf16)')
    .addOption(
      new Option(
        '--precision <precision>',
        'weights of a candidate, where its evaluation does not say; repeated, one for each candidate in their order',
      ).argParser(appendValue),
    )
    .option('--cache <precision>', 'keys and values of the candidates; those of the reference are kept in 16 bits', 'bf16')
    .addHelpText(
      'after',
      examples(
        'ironlaw calibrate quality evaluations/bf16 evaluations/int4 --precision int4',
        'ironlaw calibrate quality evaluations/bf16 evaluations/fp8 evaluations/int4 --model Llama-3.1-8B',
      ),
    )
    .action(async function measureQuality(this: Command, reference: string, candidates: readonly string[]) {
      const flags = this.optsWithGlobals<QualityFlags & { readonly json?: true }>()
      const { calibrateQuality } = await import('./quality.ts')
      printAnswer(await calibrateQuality(reference, candidates, flags), flags.json === true)
    })
}
