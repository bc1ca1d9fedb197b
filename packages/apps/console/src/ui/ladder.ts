// A slider over many orders of magnitude moves along a ladder of round numbers.

/** 1, 2 and 5 of every power of ten are too coarse for a plan; these are not. */
const DECIMAL = [1, 1.5, 2, 3, 4, 5, 6, 8]

export function decimalLadder({ from, to }: { readonly from: number; readonly to: number }): readonly number[] {
  const steps: number[] = []
  for (let power = 10 ** Math.floor(Math.log10(from)); power <= to; power *= 10)
    for (const digit of DECIMAL) if (digit * power >= from && digit * power <= to) steps.push(digit * power)
  return steps
}

/** Powers of two with `parts` equal steps between them; all are multiples of the first, so that work divides evenly. */
export function binaryLadder({
  from,
  to,
  parts,
}: {
  readonly from: number
  readonly to: number
  readonly parts: number
}): readonly number[] {
  const steps: number[] = []
  for (let power = from; power <= to; power *= 2)
    for (let part = 0; part < parts; part += 1) {
      const step = power + (part * power) / parts
      if (step <= to && step % from === 0) steps.push(step)
    }
  return steps
}

/** The step nearest to a typed value. */
export const nearestStep = (ladder: readonly number[], value: number): number =>
  ladder.reduce((best, step, at) => (distance(step, value) < distance(ladder[best] ?? Infinity, value) ? at : best), 0)

/** By ratio, except at zero. */
const distance = (step: number, value: number): number =>
  step > 0 && value > 0 ? Math.abs(Math.log(step / value)) : Math.abs(step - value)
