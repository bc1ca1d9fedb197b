// Times of prompts and tokens measured for Splitwise (Patel et al. 2024; Mutinifni/splitwise-sim, MIT) as cases: static batches on A100 and
// H100 with the engines of 2023. The file is third-party data that is not shipped.

import { ENGINE_RUNTIMES } from '../serving/engine-runtime.ts'
import { SINGLE } from '../serving/layout.ts'
import { SERVING_PRECISIONS } from '../serving/precision.ts'
import type { RefusedCase, ServingCase } from './case.ts'
import { type ParsedCases, casesIn } from './cases-in.ts'
import type { CsvRow } from './csv.ts'
import { architectureNamed, type Machines } from './replica-of.ts'
import { splitOf } from './split.ts'

const MODELS: Readonly<Record<string, string>> = { 'llama2-70b': 'Llama-2-70b-hf', 'bloom-176b': 'bloom' }
const ACCELERATORS: Readonly<Record<string, string>> = { 'a100-80gb': 'a100-80gb-sxm', 'h100-80gb': 'h100-sxm' }

export const splitwiseCases = (machines: Machines, text: string): ParsedCases => casesIn(text, (row) => caseOf(machines, row))

function caseOf(machines: Machines, row: CsvRow): ServingCase | RefusedCase {
  const id = `${row['model']} ${row['hardware']} tp${row['tensor_parallel']} p${row['prompt_size']} b${row['batch_size']} t${row['token_size']}`
  const model = MODELS[row['model'] ?? ''] ?? ''
  const accelerator = ACCELERATORS[row['hardware'] ?? '']
  const architecture = architectureNamed(model)
  if (accelerator === undefined) return { id, reason: 'run under a power cap that the file does not state' }
  if (!architecture) return { id, reason: 'architecture not known' }
  const value = (name: string): number => Number(row[name])
  return {
    id,
    source: 'splitwise',
    split: splitOf([model, accelerator, row['tensor_parallel'], row['token_size']].join('|')),
    family: model,
    replica: {
      architecture,
      machine: machines(accelerator),
      precision: SERVING_PRECISIONS.bf16,
      cache: 'bf16',
      runtime: ENGINE_RUNTIMES['static-2023'],
      layout: { ...SINGLE, tensor: value('tensor_parallel') },
    },
    input: value('prompt_size'),
    output: value('token_size'),
    load: { kind: 'batch', size: value('batch_size') },
    measured: { ttft_s: value('prompt_time_ms') / 1000, tpot_s: value('token_time_ms') / 1000 },
  }
}
