// A serving spec that names a version, as a person would write it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Served = { readonly argv: readonly string[]; readonly model: string; readonly version: string }

export function writeServeSpec(folder: string, { argv, model, version }: Served): void {
  const spec = {
    apiVersion: 'ironlaw/v1',
    kind: 'Serve',
    name: 'letters',
    model: join(import.meta.dirname, '../../../examples/reference-trainer/tiny.config.json'),
    traffic: { requests_per_s: 2, input_tokens: 60, output_tokens: 12 },
    objectives: { ttft: '500 ms', tpot: '50 ms' },
    accelerators: ['cpu-core'],
    precisions: ['bf16'],
    spare: 0,
    deploy: { program: argv, directory: folder, model, version, processes: 1, replicas: 1, release: 'required' },
  }
  writeFileSync(join(folder, 'serve.json'), JSON.stringify(spec))
}
