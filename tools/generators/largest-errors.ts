// The largest errors of the training page, with what is known of their causes.

import type { LeftOutReport, ScoredRow } from '@ironlaw/planner/validation'
import { seconds, show, showChange } from '@ironlaw/units'
import { markdownTable } from './generated.ts'

const WORST_NOTE = `Each source left out, by the logarithm. The causes are our reading of the facts, not measurements; where nothing in the source tells, the table
says so.`

const ZERO_3 = `The source measures about the same step on 768 and on 1,536 devices, with half the work for each: the step waits for weights, not for
arithmetic. DeepSpeed's ZeRO-3 of 2021 gathered tensor by tensor; the planner prices whole layers at the full rate of the ports.`

/** Likely causes by row; a row that is new among the worst has none until it has been examined. */
const LIKELY: Readonly<Record<string, string>> = {
  'nar21-t2-zero3-175-1536': ZERO_3,
  'nar21-t2-zero3-175-768': ZERO_3,
  'nar21-t2-zero3-530-2240': `ZeRO-3 of 2021 with one sequence per device: as above, weights gathered tensor by tensor for very little work.`,
  'nanotron-1p34b-64n': `One microbatch per replica, so the step is fixed costs: host launches, gradient exchange, optimizer. Priced with the launch rate and
overlaps of Megatron-Core, which nanotron may not reach.`,
  'nanotron-80b-4n': `Not known. The source reaches 14.8 % of the peak in a plain TP8 PP4 layout. The row is the best of a sweep, which would err the other way.`,
  'nanotron-80b-64n': `TP16 on nodes of 8: every tensor-parallel exchange leaves the node, and the planner hides most of it as Megatron-Core does inside a node.`,
  'nanotron-8p86b-64n': `One microbatch per replica and nothing sharded: the FP32 gradients of the whole model are exchanged once, and the planner hides most
of it under the backward pass.`,
  'bloomberg-50b': `The microbatch is not published; we assume a rank's whole share in one pass. With smaller ones, weights would be gathered several
times per step over ports of 50 Gb/s per device.`,
  'zoo-q235-h100-3': `Fully sharded experts: the planner gathers the weights of all experts for every microbatch over the ports; the source reaches the
rate of its pipelined layouts, so it gathers less or hides more.`,
  'mpt-a10040gb-70b-64g-s2048': `Not known. The same layout on devices of 80 GB is predicted within 4 %; with 40 GB the runs are close to the memory that
there is.`,
  'bridge2511-h100-q235b': `Experts behind the host: a calibration row (Qwen3-30B-A3B on B200) shows 9 ms per layer and microbatch that hosts need to launch
them, this run 14 ms, with overlap of experts, which launches more.`,
  'bridge2511-b200-q235b': `As above: 13 ms per layer and microbatch, where the one calibration row shows 9.`,
}

export const largestErrors = ({ worst }: LeftOutReport): string => `${WORST_NOTE}

${worstTable(worst)}`

const worstTable = (worst: readonly ScoredRow[]): string =>
  markdownTable(
    ['run', 'measured', 'predicted', 'error', 'the prediction is mostly', 'likely cause'],
    worst.map((row) => [
      `\`${row.id}\``,
      show(seconds(row.measured_s), 's'),
      show(seconds(row.predicted_s), 's'),
      showChange(row.error),
      dominant(row),
      LIKELY[row.id] ?? 'Not known.',
    ]),
  )

const dominant = ({ causes }: ScoredRow): string =>
  causes
    .slice(0, 3)
    .map(({ cause, share }) => `${cause} ${Math.round(100 * share)} %`)
    .join(', ')
