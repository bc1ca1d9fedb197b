/** The gamma function for arguments of at least 1/2: C. Lanczos, SIAM J. Numer. Anal. B 1, 1964, with seven terms; 15 digits. */
export function gamma(x: number): number {
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012,
    9.9843695780195716e-6, 1.5056327351493116e-7,
  ]
  const series = terms.reduce((sum, term, index) => sum + term / (x + index), 0.99999999999980993)
  const base = x + 6.5
  return Math.sqrt(2 * Math.PI) * base ** (x - 0.5) * Math.exp(-base) * series
}
