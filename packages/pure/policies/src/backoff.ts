/** Seconds to wait after this many failures in a row: none after none, then doubling up to the cap. */
export const backoff = (failures: number, limits: { readonly backoff_s: number; readonly backoffCap_s: number }): number =>
  failures === 0 ? 0 : Math.min(limits.backoffCap_s, limits.backoff_s * 2 ** (failures - 1))
