// Measured silicon as curves: how long a kernel or a collective takes on an accelerator, from coefficients fitted to published
// kernel tables (facts/silicon). An accelerator without measurements borrows a curve and scales it by its own peaks; the
// borrowing is named, because such a prediction deserves a wider interval.

import type { WorkClass } from '@ironlaw/contracts'
import { quantile } from '@ironlaw/laws/quantile'
import curves from './silicon.generated.json' with { type: 'json' }

export type GemmCurve = {
  readonly start_s: number
  readonly compute: number
  readonly memory: number
  readonly sharpness: number
  readonly narrow: number
  readonly ramp: number
  readonly wave: number
  readonly weightBytes: number
  readonly activationBytes: number
}

export type AttentionCurve = {
  readonly start_s: number
  readonly memory: number
  readonly ramp: number
  readonly wave: number
  readonly under: number
  readonly compute: Readonly<Record<string, number>>
}

export type CollectiveCurve = { readonly alpha_s: number; readonly beta_bytes_per_s: number; readonly ramp_s_per_root_byte: number }

export type CollectiveName = 'all-reduce' | 'all-gather' | 'reduce-scatter' | 'all-to-all'

export type Silicon = {
  readonly accelerator: string
  readonly generation: 'ampere' | 'ada' | 'hopper' | 'blackwell'
  readonly source: { readonly ref: string; readonly date: string }
  /** Another accelerator's curve, scaled. */
  readonly borrowed: boolean
  /** No published run of the accelerator was compared either; on TPUs thirteen were, and lie inside. */
  readonly unseen: boolean
  readonly processors: number
  /** Rate of the matrix units in long training runs against the short replays behind the curves: power limits and clocks. */
  readonly sustained: { readonly bf16: number; readonly fp8: number; readonly fp4?: number }
  /** The peaks against which the coefficients were fitted. */
  readonly reference: {
    readonly bf16_flop_per_s: number
    readonly fp8_flop_per_s: number
    readonly bandwidth_bytes_per_s: number
    readonly link_bytes_per_s: number
  }
  readonly gemm: Readonly<Record<string, GemmCurve>>
  readonly attention: Readonly<Record<string, AttentionCurve>>
  readonly collectives: Readonly<Record<string, Readonly<Record<string, CollectiveCurve>>>>
  /** The user's own measurements stand in for, or correct, what is published. */
  readonly measured?: OwnMeasurements
}

export type OwnMeasurements = {
  /** One line for people: what, where, when. */
  readonly note: string
  /** Measured over predicted time of finished runs, as multiplied on. */
  readonly corrections: Readonly<Record<WorkClass, number>>
  /** One standard deviation of a class, relative; undefined where it is unknown. */
  readonly spread: Readonly<Record<WorkClass, number | undefined>>
  /** Finished runs behind the corrections. */
  readonly runs: number
}

type SiliconFile = Omit<Silicon, 'borrowed' | 'unseen' | 'processors' | 'reference' | 'sustained'> & {
  readonly sustained?: { readonly bf16?: number; readonly fp8?: number; readonly fp4?: number }
} & { readonly reference: Silicon['reference'] & { readonly processors: number } }

const MEASURED: ReadonlyMap<string, SiliconFile> = new Map(
  (curves as unknown as readonly SiliconFile[]).map((curve) => [curve.accelerator, curve]),
)

/** Same chip, other memory or board: the curve holds, the peaks differ. */
const SIBLINGS: Readonly<Record<string, string>> = {
  'a100-40gb-sxm': 'a100-80gb-sxm',
  'a100-80gb-pcie': 'a100-80gb-sxm',
  'h100-pcie': 'h100-sxm',
  'h100-nvl': 'h100-sxm',
  h20: 'h100-sxm',
}

/**
 * Share of the dense peak that the best matrix product reaches, where nothing else is measured: maximum achievable matmul FLOPS in BF16, 668.4 of
 * 1,307 TFLOP/s on MI300X and so on (stas00/ml-engineering, compute/accelerator/README.md, 2026). The A100 reaches 0.869 there, as its curve here.
 */
const BEST_PRODUCT: Readonly<Record<string, number>> = {
  mi300x: 0.511,
  mi325x: 0.6,
  mi350x: 0.68,
  mi355x: 0.68,
  'gaudi-3': 0.741,
}

/** Without a calibration row: between the accelerators that have one. */
export const USUAL_SUSTAINED = 0.85

const NEAREST_GENERAL = 'a100-80gb-sxm'

/** Share of the peak that long products sustain in training. */
const sustainedProduct = ({ gemm, sustained }: SiliconFile): number => (gemm['bf16']?.compute ?? 0) * (sustained?.bf16 ?? USUAL_SUSTAINED)

/** Of the accelerators that were measured, the middle one: the general curve is that of the best. */
const USUAL_PRODUCT = quantile(
  [...MEASURED.values()].map(sustainedProduct).toSorted((a, b) => a - b),
  0.5,
)

/** Whose curve prices an accelerator: its own, that of its sibling, or the general one. */
export const curveAccelerator = (accelerator: string): string =>
  MEASURED.has(accelerator) ? accelerator : (SIBLINGS[accelerator] ?? NEAREST_GENERAL)

export function siliconOf(accelerator: string): Silicon {
  const own = MEASURED.get(accelerator)
  const written = MEASURED.get(curveAccelerator(accelerator))
  if (!written) throw new Error(`facts/silicon lacks ${NEAREST_GENERAL}`)
  const unseen = own === undefined && SIBLINGS[accelerator] === undefined && !accelerator.startsWith('tpu-')
  const best = BEST_PRODUCT[accelerator]
  const general = unseen ? USUAL_PRODUCT / sustainedProduct(written) : 1
  const reached = best === undefined ? general : best / (written.gemm['bf16']?.compute ?? best)
  return {
    ...written,
    accelerator,
    borrowed: own === undefined,
    unseen,
    processors: written.reference.processors,
    sustained: {
      bf16: reached * (written.sustained?.bf16 ?? USUAL_SUSTAINED),
      fp8: reached * (written.sustained?.fp8 ?? USUAL_SUSTAINED),
      ...(written.sustained?.fp4 !== undefined && { fp4: written.sustained.fp4 }),
    },
  }
}
