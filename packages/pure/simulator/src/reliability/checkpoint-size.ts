// What a checkpoint of a plan holds: what is trained and no more, with the states of its optimizer. Frozen weights are loaded from where they
// came; gradients are not written.

import type { TrainingPlan } from '@ironlaw/contracts'
import { STATE_BYTES } from './assumed.ts'

export type CheckpointSize = { readonly bytes: number; readonly from: string }

/** Bytes per trained parameter. */
type Stored = { readonly weight: number; readonly master: number; readonly moments: number }

const MIXED: Stored = { weight: 2, master: 4, moments: 8 }

/** By precision; the others keep FP32 master copies beside 16-bit weights. */
const STORED: Readonly<Record<string, Stored>> = {
  fp32: { weight: 4, master: 0, moments: 8 },
  'fsdp-mixed': { weight: 4, master: 0, moments: 8 },
  'bf16-pure': { weight: 2, master: 0, moments: 4 },
}

/** Two moments of a byte with a 32-bit scale per block of 256 each (Dettmers et al. 2021). */
const MOMENTS_8BIT = 2 + 8 / 256

export function checkpointSize({ model, decision, optimizer = 'adam', lora }: CheckpointedPlan): CheckpointSize {
  const { weight, master, moments } = STORED[decision.precision] ?? MIXED
  const { layers, ends } = parametersOf(model)
  const trained = lora ? { layers: adaptersOf(model, lora), ends: 0 } : { layers, ends }
  const layerMoments = { adam: moments, 'adam-8bit': MOMENTS_8BIT, muon: moments / 2 }[optimizer]
  // Muon leaves token table and head to Adam.
  const endMoments = optimizer === 'muon' ? moments : layerMoments
  const bytes = (weight + master + layerMoments) * trained.layers + (weight + master + endMoments) * trained.ends
  return { bytes, from: textOf({ weight, master, moments: layerMoments }, { optimizer, adapters: lora !== undefined }) }
}

type CheckpointedPlan = Pick<TrainingPlan, 'model' | 'decision' | 'optimizer' | 'lora'>

function textOf({ weight, master, moments }: Stored, { optimizer, adapters }: { optimizer: string; adapters: boolean }): string {
  const perParameter = weight + master + moments
  const parameters = adapters ? 'parameter of the adapters' : 'parameter'
  if (perParameter === STATE_BYTES.value) return `${perParameter} B per ${parameters}: ${STATE_BYTES.from}`
  const master32 = master > 0 ? `${master} of the master copy, ` : ''
  return `${Number(perParameter.toFixed(2))} B per ${parameters}: ${weight} of the weight, ${master32}${Number(moments.toFixed(2))} of what ${optimizer} keeps`
}

type Widths = { readonly queries: number; readonly keys: number; readonly products: number }

const widthsOf = ({ width, heads, kvHeads, headWidth, gated }: TrainingPlan['model']): Widths => {
  const head = headWidth ?? (heads > 0 ? width / heads : 0)
  return { queries: head * heads, keys: head * kvHeads, products: gated ? 3 : 2 }
}

/** As the plan describes the model: attention, feed-forward and embedding, without what is small. */
function parametersOf(model: TrainingPlan['model']): { readonly layers: number; readonly ends: number } {
  const { layers, width, inner, vocabulary, experts = 1, tied } = model
  const { queries, keys, products } = widthsOf(model)
  return {
    layers: layers * (2 * width * (queries + keys) + products * width * inner * experts),
    ends: (tied ? 1 : 2) * vocabulary * width,
  }
}

/** A pair of thin matrices beside each matrix of attention, and of the feed-forward block where it is not one of experts. */
function adaptersOf(model: TrainingPlan['model'], { rank, targets }: NonNullable<TrainingPlan['lora']>): number {
  const { layers, width, inner, experts } = model
  const { queries, keys, products } = widthsOf(model)
  const attention = 2 * (width + queries) + 2 * (width + keys)
  const feedForward = targets === 'all-linear' && experts === undefined ? products * (width + inner) : 0
  return layers * rank * (attention + feedForward)
}
