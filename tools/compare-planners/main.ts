// `npm run compare:planners -- --calculon DIR`: Calculon's README search and ours for the same problem in one run, then ours over a space as
// large as Calculon's largest. With `--runs`, both predict measured runs instead (runs.ts). DIR is a checkout of calculon-ai/calculon; nothing of it is kept here. Times are of processors, not of clocks:
// machines are shared.

import { parseArgs } from 'node:util'
import { calculonSearch } from './calculon.ts'
import { compareRuns } from './runs.ts'
import { timeEnumeration, timePlanner, timeFixedOptions, type TimedSearch } from './ours.ts'

const { values } = parseArgs({
  options: {
    calculon: { type: 'string' },
    python: { type: 'string', default: '/usr/bin/python3' },
    configurations: { type: 'string', default: '13165632' },
    runs: { type: 'boolean', default: false },
    data: { type: 'string' },
  },
})

const line = (name: string, { cpu_s, configurations, optimum }: TimedSearch): void =>
  console.log(
    `${name.padEnd(44)} ${configurations.toLocaleString('en').padStart(11)} configurations, ${cpu_s.toFixed(2).padStart(8)} s of one core, ${Math.round(
      configurations / cpu_s,
    )
      .toLocaleString('en')
      .padStart(8)} a second; ${optimum}`,
  )

if (values.runs) {
  if (values.calculon === undefined) throw new Error('--calculon DIR names a checkout of calculon-ai/calculon')
  compareRuns(values.calculon, values)
  process.exit(0)
}

console.log('Turing-NLG 530B, 5,128 A100, batches of at most 2,520')
if (values.calculon === undefined) console.log('  Calculon: not given; --calculon DIR names a checkout')
else line('  Calculon, its README search', calculonSearch(values.calculon, values.python))
line('  ours', timePlanner({ model: 'megatron-530b', devices: 5128, batch: 2520, sequence: 2048, on: 'a100-80gb-sxm' }))

console.log('GPT-3 175B, 512 A100')
line(
  '  ours, as `ironlaw plan` asks it',
  timePlanner({ model: 'gpt-3-175b', devices: 512, batch: 512, sequence: 2048, on: 'a100-80gb-sxm' }),
)
console.log(`  Calculon counts 13,165,632 configurations (gpt3-175B, 512, batch 512, -f all -d): layouts times networks, overlaps and fusion.
  Ours are legal layouts (tensor, sequence, context, pipeline, chunks, data, microbatch, sharding, shard groups, recomputation), times where
  the optimizer lies, times what the software does: overlap of tensor-parallel, gradient, weight and pipeline messages, fusion, attention kernel,
  launches, size of gathers.`)
line('  ours, every configuration evaluated', timeEnumeration(Number(values.configurations)))
line('  ours, settled', timeFixedOptions())
console.log(
  '  Settled: of software options the first is never slower than the others, so only layouts under the first of each are evaluated.',
)

console.log('Llama 3.1 405B, 16,384 H100')
line('  ours', timePlanner({ model: 'Llama-3.1-405B', devices: 16_384, batch: 2048, sequence: 8192, on: 'h100-sxm' }))
