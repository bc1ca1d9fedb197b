// Whether a run is the one that was planned: what its program says it runs with against the plan's decision.

import type { Deviation } from '@ironlaw/contracts/ledger'
import { STRATEGY_FIELDS, type ReportedStrategy } from '@ironlaw/contracts/running'

/** The type that products are computed in, by precision policy: a framework may know that much and no more. */
const COMPUTED_IN: Readonly<Record<string, string>> = {
  fp32: 'fp32',
  'bf16-mixed': 'bf16',
  'fp16-mixed': 'fp16',
  'bf16-gradients': 'bf16',
  'fsdp-mixed': 'bf16',
  'bf16-pure': 'bf16',
  lora: 'bf16',
  qlora: 'bf16',
  fp8: 'fp8',
  nvfp4: 'nvfp4',
}

const isSame = (field: keyof ReportedStrategy, planned: string, running: string): boolean =>
  planned === running || (field === 'precision' && Object.hasOwn(COMPUTED_IN, planned) && COMPUTED_IN[planned] === running)

type ComparedStrategies = {
  readonly planned: ReportedStrategy
  readonly running: ReportedStrategy
  /** Nodes of the attempt over those of the plan: with fewer nodes there are as many fewer data-parallel ranks. */
  readonly share: number
}

/** In the order of the fields; what either side leaves out is not compared. */
export function deviations({ planned, running, share }: ComparedStrategies): Deviation[] {
  const expected = planned.data === undefined ? planned : { ...planned, data: planned.data * share }
  return STRATEGY_FIELDS.flatMap((field) => {
    const [wanted, found] = [expected[field], running[field]]
    if (wanted === undefined || found === undefined || isSame(field, String(wanted), String(found))) return []
    return [{ field, planned: String(wanted), running: String(found) }]
  })
}
