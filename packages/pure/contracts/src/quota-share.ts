// What shares of tenants' limits are counted in.

/** Shares are whole millionths, so that their sums are exact. */
export const WHOLE_SHARE = 1_000_000
/** Of tenants that a report or a grant names; those with the most demand are named. */
export const MOST_NAMED_TENANTS = 1000
/** Ten times a tenant's limits: more demand says nothing more. */
export const MOST_DEMAND = 10 * WHOLE_SHARE
