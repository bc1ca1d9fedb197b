// Measured silicon as serving needs it: products at few rows, attention over a cache, fused experts. The coefficients are fitted to
// two thirds of the shapes of published kernel tables and scored on the rest (facts/silicon, key `serving`).

import { type GemmCurve, type Silicon, siliconOf } from '../machine/silicon.ts'
import bundle from '../machine/silicon.generated.json' with { type: 'json' }

export type CurveError = { readonly rows: number; readonly heldOut: number; readonly median: number; readonly p90: number }

type Fitted = { readonly error: CurveError }

export type ProductCurve = Fitted &
  GemmCurve & {
    /** Passes over the input to quantize it, at three bytes an element. */
    readonly quantize: number
    /** With fewer rows than this the matrix units take as long as for this many. */
    readonly rows: number
  }

export type DecodeCurve = Fitted & {
  readonly start_s: number
  readonly memory: number
  readonly row_s: number
  readonly sharpness: number
  readonly group: number
  readonly ramp_s: number
  readonly ramp_bytes: number
  readonly split_s: number
  readonly widths: Readonly<Record<string, number>>
}

export type LatentDecodeCurve = Fitted & {
  readonly start_s: number
  readonly memory: number
  readonly compute: number
  readonly sharpness: number
  readonly ramp_s: number
  readonly ramp_bytes: number
  readonly split_s: number
  /** Heads below which a tile is not filled. */
  readonly rows: number
}

export type LatentPrefillCurve = Fitted & {
  readonly start_s: number
  readonly memory: number
  readonly compute: number
  readonly ramp: number
  readonly wave: number
  readonly under: number
}

export type ExpertCurve = Fitted & {
  readonly start_s: number
  readonly compute: number
  readonly memory: number
  readonly sharpness: number
  readonly ramp: number
  readonly expert_s: number
  readonly move: number
  readonly narrow: number
  readonly weightBytes: number
}

export type CurveName = 'bf16' | 'fp8' | 'fp8-block' | 'nvfp4'

type ByCurve<Curve> = Readonly<Partial<Record<CurveName, Curve>>>

export type ServingCurves = {
  readonly gemm: ByCurve<ProductCurve>
  readonly decode: ByCurve<DecodeCurve>
  readonly latentDecode: ByCurve<LatentDecodeCurve>
  readonly latentPrefill: ByCurve<LatentPrefillCurve>
  readonly experts: ByCurve<ExpertCurve>
}

/** The peaks against which the coefficients were fitted. */
type Reference = {
  readonly bf16_flop_per_s: number
  readonly fp8_flop_per_s: number
  readonly fp4_flop_per_s: number
  readonly bandwidth_bytes_per_s: number
}

type CurveFile = { readonly accelerator: string; readonly reference: Reference; readonly serving: ServingCurves }

const CURVE_FILES: ReadonlyMap<string, CurveFile> = new Map(
  (bundle as unknown as readonly CurveFile[]).map((each) => [each.accelerator, each]),
)

export type ServingSilicon = {
  readonly silicon: Silicon
  readonly reference: Reference
  readonly curves: ServingCurves
}

export const measuredAccelerators: readonly string[] = [...CURVE_FILES.keys()]

/** Each accelerator's own curves, none borrowed. */
export const measuredCurves: ReadonlyMap<string, ServingCurves> = new Map([...CURVE_FILES].map(([name, { serving }]) => [name, serving]))

/** Curves of another accelerator where this one was never measured: `silicon.borrowed` says so. */
export function servingSilicon(accelerator: string): ServingSilicon {
  const silicon = siliconOf(accelerator)
  const written = CURVE_FILES.get(accelerator) ?? CURVE_FILES.get(lendingAccelerator(silicon))
  if (!written) throw new Error(`facts/silicon has no serving curves to lend to ${accelerator}`)
  // Latent attention was not measured everywhere; the nearest generation that was lends its curve, scaled by the peaks.
  const latent = CURVE_FILES.get(silicon.generation === 'blackwell' ? 'b200' : 'h100-sxm')?.serving
  const { serving, reference } = written
  const hasCurves = (curves: ByCurve<unknown>): boolean => Object.keys(curves).length > 0
  return {
    silicon,
    reference,
    curves: {
      ...serving,
      latentDecode: hasCurves(serving.latentDecode) ? serving.latentDecode : (latent?.latentDecode ?? {}),
      latentPrefill: hasCurves(serving.latentPrefill) ? serving.latentPrefill : (latent?.latentPrefill ?? {}),
    },
  }
}

/** The accelerator whose coefficients `siliconOf` lends: identified by its reference figures. */
const lendingAccelerator = ({ reference }: Silicon): string =>
  [...CURVE_FILES.values()].find(
    (each) =>
      each.reference.bandwidth_bytes_per_s === reference.bandwidth_bytes_per_s &&
      each.reference.bf16_flop_per_s === reference.bf16_flop_per_s,
  )?.accelerator ?? 'a100-80gb-sxm'
