// Shares as people read them. A share is a number from 0 to 1, or a relative change.

/** `0.1234` is "12.3 %". */
export const showPercent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`

/** A digit more for small shares: `0.034` is "3.4 %", `0.34` is "34 %". */
export const showShortPercent = (share: number): string => showPercent(share, share > 0 && share < 0.0995 ? 1 : 0)

/** With its sign: `0.05` is "+5.0 %". */
export const showChange = (share: number, digits = 1): string => `${share < 0 ? '' : '+'}${showPercent(share, digits)}`

/** A difference of two shares: `0.034` is 3.40 points. */
export const showPoints = (difference: number, digits = 2): string => (100 * difference).toFixed(digits)
