// The pause of a checkpoint as planned and as a training program sees it, compared with the write on the training thread that it replaced.
//   npm run bench:checkpoints -- --rounds 5

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { measuredMachine } from '@ironlaw/policies/calibration'
import { checkpointPause_s } from '@ironlaw/simulator'
import * as z from 'zod'
import { showPercent } from '@ironlaw/units'
import { median } from '@ironlaw/laws/quantile'
import { measuredLine } from '../packages/apps/cli/src/calibrate/measured-rows.ts'

const SIZES = [100e6, 1e9]
/** How far the plan may be off, and how much of the old pause may be left. */
const GOALS = { planned: 0.25, before: 0.2 }

const MARK = 'ironlaw-pauses '
const PAUSES = z.object({ bytes: z.int(), first_s: z.number(), save_s: z.array(z.number()), write_here_s: z.array(z.number()) })

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const script = join(import.meta.dirname, '../python/tests/checkpoint_bench.py')
const { stdout } = await promisify(execFile)('/usr/bin/python3', [script, values.rounds, ...SIZES.map(String)])
const lines = stdout.split('\n')

const rows = lines.flatMap((line) => measuredLine(line) ?? []).filter((row) => row.measured === 'staging')
const staging = measuredMachine({ element_bytes: 4 }, rows).sharing['1']?.staging
if (!staging) throw new Error(`the copy was not measured: ${stdout}`)

const millisecondsCell = (time_s: number): string => `${(1000 * time_s).toFixed(1)} ms`.padStart(12)
const percentCell = (share: number): string => showPercent(share).padStart(9)

console.log(
  `plan: ${millisecondsCell(staging.start_s.value).trim()} + bytes / ${(staging.bytes.value / 1e9).toFixed(2)} GB/s, measured in the same run; medians of ${values.rounds} turns`,
)
console.log(['state', 'planned', 'measured', 'off by', 'first', 'on thread', 'of that'].map((name) => name.padStart(13)).join(''))
for (const line of lines.filter((each) => each.startsWith(MARK))) {
  const { bytes, first_s, save_s, write_here_s } = PAUSES.parse(JSON.parse(line.slice(MARK.length)))
  const planned = checkpointPause_s({ fixed: staging.start_s, copy: staging.bytes }, bytes)
  const measured = median(save_s)
  const before = median(write_here_s)
  const cells = [
    `${bytes / 1e6} MB`,
    millisecondsCell(planned),
    millisecondsCell(measured),
    percentCell(measured / planned - 1),
    millisecondsCell(first_s),
    millisecondsCell(before),
    percentCell(measured / before),
  ]
  console.log(cells.map((cell) => cell.padStart(13)).join(''))
  if (Math.abs(measured / planned - 1) > GOALS.planned) console.log(`  goal missed: the plan is off by more than ${100 * GOALS.planned} %`)
  if (measured > GOALS.before * before) console.log(`  goal missed: more than ${100 * GOALS.before} % of the pause before`)
}
