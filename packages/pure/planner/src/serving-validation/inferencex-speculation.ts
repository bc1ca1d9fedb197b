// How the recipes of InferenceX speculate, all of them by the layers for further tokens that a model was trained with (SemiAnalysisAI/InferenceX
// at 843c625). TensorRT-LLM on one node drafts three tokens, with copies of the attention one (dsr1_fp4_b200_trt_mtp.sh); the names of its
// disaggregated recipes say mtp3 without copies, and with copies by the sequences of each: mtp3 up to 32, mtp2 about 64, mtp1 from 192 on.
// SGLang's scripts take two steps.

import type { EngineName } from '../serving/engine-runtime.ts'
import type { Layout } from '../serving/layout.ts'
import type { Speculation } from '../serving/mechanisms.ts'

/** No recipe states it. Fitted to the 131 speculating calibration rows; SGLang alone and TensorRT-LLM alone give the same within 0.02. */
const ACCEPTANCE = 0.71
const THREE_DRAFTS_BELOW = 48
const TWO_DRAFTS_BELOW = 160

type SpeculatingRun = { readonly layout: Layout; readonly decodeOnly: boolean; readonly size: number }

export const speculationOf = (engine: EngineName, ran: SpeculatingRun): Speculation => ({
  method: 'mtp',
  drafted: engine === 'sglang' ? 2 : draftLength(ran),
  acceptance: ACCEPTANCE,
})

function draftLength({ layout, decodeOnly, size }: SpeculatingRun): number {
  if (layout.data === 1) return 3
  if (!decodeOnly) return 1
  const each = size / layout.data
  return each < THREE_DRAFTS_BELOW ? 3 : each < TWO_DRAFTS_BELOW ? 2 : 1
}
