// Figures of evaluations in words.

type Interval = { readonly value: number; readonly low: number; readonly high: number }

export const showFigure = (value: number): string => (Math.abs(value) < 10 ? value.toFixed(3) : value.toPrecision(4))

export const showBetween = ({ low, high }: Pick<Interval, 'low' | 'high'>): string => `${showFigure(low)} to ${showFigure(high)}`

/** Ends of a scale that holds all intervals: 0 to 1 where they are shares. */
export function scaleOf(intervals: readonly Interval[]): readonly [number, number] {
  const [low, high] = [Math.min(...intervals.map((each) => each.low)), Math.max(...intervals.map((each) => each.high))]
  return low >= 0 && high <= 1 ? [0, 1] : [low, high]
}
