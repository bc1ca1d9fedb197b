// The measured iterations of vTrain (Bang et al. 2023; VIA-Research/vTrain, MIT) as cases: Megatron-DeepSpeed on A100 in eager mode with
// full recomputation. The two CSV files are third-party data that is not shipped; the caller passes their text.

import { IronlawError } from '@ironlaw/contracts'
import { importConfig } from '@ironlaw/models'
import type { TrainingJob } from '../training/job.ts'
import type { MachineChoice } from '../machine/machine-for.ts'
import { POLICIES } from '../training/memory/precision.ts'
import { RUNTIMES } from '../training/time/runtimes.ts'
import { PLAIN, type Strategy } from '../training/strategy.ts'
import type { Case } from './case.ts'

export type VtrainFile = 'single' | 'multi'

const COLUMNS = {
  devices: '# GPUs',
  globalBatch: 'global batch',
  microbatch: 'micro batch',
  width: 'hidden size',
  heads: 'attention heads',
  layers: '# layers',
  sequence: 'sequence length',
  tensor: 'tensor parallelism',
  data: 'data parallelism',
  pipeline: 'pipeline parallelism',
  iteration_ms: 'iteration time (ms)',
} as const

type Column = keyof typeof COLUMNS
type Line = Readonly<Record<Column, number>>

/** GPT-2's 50,257 tokens, filled up to a multiple of 128 as Megatron does. */
const VOCABULARY = 50_304

/** Four 200 Gb/s ports for the eight devices of a node. */
const MACHINE: MachineChoice = {
  accelerator: 'a100-80gb-sxm',
  policy: POLICIES['bf16-gradients'],
  runtime: RUNTIMES['megatron-deepspeed'],
  portBandwidth: 12.5e9,
}

export function vtrainCases(file: VtrainFile, text: string): readonly Case[] {
  return linesOf(file, text).map((line, index) => ({
    id: idOf(line),
    source: `vtrain-${file}`,
    question: `${line.devices} devices, h${line.width} L${line.layers} a${line.heads} s${line.sequence}, batch ${line.globalBatch}`,
    // Fixed, because the runtime's coefficients come from these rows: of the single-node runs every other one, of the multi-node runs none.
    split: file === 'single' && index % 2 === 0 ? 'calibration' : 'heldOut',
    family: 'gpt',
    devices: line.devices,
    job: jobOf(line),
    strategy: strategyOf(line),
    choice: MACHINE,
    measured: { step_s: line.iteration_ms / 1000 },
    beyond: [],
  }))
}

const idOf = ({ devices, width, layers, sequence, tensor, data, pipeline, microbatch, globalBatch }: Line): string =>
  `${devices} x A100, h${width} L${layers} s${sequence}, TP${tensor} DP${data} PP${pipeline}, mb${microbatch} of ${globalBatch}`

function linesOf(file: VtrainFile, text: string): readonly Line[] {
  // The files begin with a byte order mark.
  const [head = '', ...body] = text
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
  const titles = head.split(',').map((title) => title.trim())
  const fileError = (reason: string): IronlawError => new IronlawError('IL_FILE', { path: `ground_truth_${file}.csv`, reason })
  const places = Object.entries(COLUMNS).map(([column, title]) => {
    const place = titles.indexOf(title)
    if (place < 0) throw fileError(`there is no column "${title}"`)
    return [column, place] as const
  })
  return body.map((line, index) => {
    const cells = line.split(',').map(Number)
    const values = places.map(([column, place]) => {
      const value = cells[place]
      if (value === undefined || !(value > 0)) throw fileError(`line ${index + 2}: "${COLUMNS[column as Column]}" is not a positive number`)
      return [column, value]
    })
    return Object.fromEntries(values) as Line
  })
}

function jobOf({ width, layers, heads, sequence, globalBatch }: Line): TrainingJob {
  const imported = importConfig({
    model_type: 'gpt2',
    n_embd: width,
    n_layer: layers,
    n_head: heads,
    n_positions: sequence,
    n_inner: 4 * width,
    vocab_size: VOCABULARY,
  })
  if (!imported.ok) throw new Error(`${imported.field}: ${imported.problem}`)
  return {
    architecture: imported.architecture,
    sequence,
    globalBatch,
    policy: MACHINE.policy,
    attention: 'unfused',
    dropout: true,
    loss: 'unfused',
    dummyGradients: false,
  }
}

const strategyOf = ({ tensor, pipeline, data, microbatch }: Line): Strategy => ({
  ...PLAIN,
  tensor,
  pipeline,
  data,
  microbatch,
  recompute: 'full',
})
