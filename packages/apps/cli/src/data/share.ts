// A part of a whole, as people write it.

/** "30 %" or 0.3; undefined where it is no share above 0 and up to 1. */
export function shareOf(text: string): number | undefined {
  const [, number, percent] = /^(\d*\.?\d+)\s*(%?)$/.exec(text.trim()) ?? []
  const share = Number(number) / (percent === '%' ? 100 : 1)
  return share > 0 && share <= 1 ? share : undefined
}
