// From values to pixels and back, and the positions of ticks.

export type Scale = {
  (value: number): number
  readonly back: (pixel: number) => number
  readonly ticks: readonly number[]
  readonly domain: readonly [number, number]
}

/** Time is in seconds since 1970, and linear except for the positions of its ticks. */
export type ScaleKind = 'linear' | 'log' | 'time'

type ScaleOptions = {
  readonly kind: ScaleKind
  readonly domain: readonly [number, number]
  readonly range: readonly [number, number]
  readonly ticks: number
}

export function scaleOf({ kind, domain, range, ticks }: ScaleOptions): Scale {
  const to = kind === 'log' ? Math.log10 : (value: number) => value
  const from = kind === 'log' ? (value: number) => 10 ** value : (value: number) => value
  const [low, high] = [to(domain[0]), to(domain[1])]
  const perUnit = (range[1] - range[0]) / (high - low || 1)
  return Object.assign((value: number) => range[0] + (to(value) - low) * perUnit, {
    back: (pixel: number) => from(low + (pixel - range[0]) / perUnit),
    ticks: TICKS[kind](domain, ticks),
    domain,
  })
}

/** Multiples of 1, 2 or 5 times a power of ten. */
export function linearTicks([low, high]: readonly [number, number], about: number): readonly number[] {
  const rough = (high - low) / Math.max(1, about)
  if (!(rough > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10) * power
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step)
}

const MINUTE_S = 60
const HOUR_S = 3600
/** The divisions of a clock. */
const CLOCK_STEPS_S = [
  1,
  5,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE_S),
  ...[1, 2, 3, 6, 12, 24].map((each) => each * HOUR_S),
]

function timeTicks([low, high]: readonly [number, number], about: number): readonly number[] {
  const rough = (high - low) / Math.max(1, about)
  const step = CLOCK_STEPS_S.find((each) => each >= rough) ?? 24 * HOUR_S * Math.ceil(rough / (24 * HOUR_S))
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, at) => (first + at) * step)
}

/** Powers of ten; with room or too few of them, also 2 and 5 of each; with too many, every other one. */
function logTicks(domain: readonly [number, number], about: number): readonly number[] {
  const [first, last] = [Math.floor(Math.log10(domain[0])), Math.ceil(Math.log10(domain[1]))]
  const decades = Math.log10(domain[1] / domain[0])
  if (decades < 0.7) return linearTicks(domain, about)
  const every = Math.max(1, Math.ceil(decades / about))
  const inside = (value: number): boolean => value >= domain[0] * 0.999 && value <= domain[1] * 1.001
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((power) => power % every === 0)
  const tens = powers.map((power) => 10 ** power).filter(inside)
  if (tens.length > 1 && 3 * decades > 1.6 * about) return tens
  return powers.flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power)).filter(inside)
}

const TICKS = { linear: linearTicks, log: logTicks, time: timeTicks } as const

/** The extent of values with a margin, as a share of their spread. */
export function extent(
  values: readonly number[],
  { kind, room }: { readonly kind: ScaleKind; readonly room: number },
): readonly [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (kind === 'log') {
    const factor = Math.max(1.05, (high / low) ** room)
    return [low / factor, high * factor]
  }
  const spread = room * (high - low || Math.abs(high) || 1)
  return [low - spread, high + spread]
}
