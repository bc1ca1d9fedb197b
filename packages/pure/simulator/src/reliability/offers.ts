// What the catalog offers for an accelerator: the lowest price on each term.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { DAY, HOUR, YEAR } from '@ironlaw/units'
import type { PriceOffer } from '../decisions/tier-mix.ts'
import type { AssumedFigure } from './assumed.ts'

export const SPOT_LIFE: AssumedFigure = {
  name: 'mean time until a spot node is taken away',
  value: 5 * DAY,
  unit: 's',
  from: 'estimate: no provider publishes it for nodes of eight accelerators',
}

/** Two minutes are what AWS announces; others give less. */
export const SPOT_NOTICE_S = 120
/** An estimate: where spot machines are scarce it may be days; a spec says so. */
export const SPOT_BACK_S = HOUR

/** How a provider takes nodes away: after which time, how many at once, and how long until there are others. */
export type SpotNodes = { readonly mtbf_s: number; readonly back_s: number; readonly together: number }

const USUAL_SPOT: SpotNodes = { mtbf_s: SPOT_LIFE.value, back_s: SPOT_BACK_S, together: 1 }

type Term = 'onDemand' | 'reserved1Year' | 'spot'

export function offersFor(catalog: Catalog, accelerator: string, spot: SpotNodes = USUAL_SPOT): PriceOffer[] {
  const { id } = acceleratorOf(catalog, accelerator)
  const lowest = (term: Term): number =>
    Math.min(...[...catalog.prices.values()].map(({ facts }) => (facts.accelerator === id ? (facts[term]?.value ?? Infinity) : Infinity)))
  const offers: PriceOffer[] = [
    { name: 'on demand', price_usd_per_s: lowest('onDemand') },
    { name: 'reserved for a year', price_usd_per_s: lowest('reserved1Year'), term_s: YEAR },
    { name: 'spot', price_usd_per_s: lowest('spot'), taken: { ...spot, notice_s: SPOT_NOTICE_S } },
  ]
  return offers.filter(({ price_usd_per_s }) => Number.isFinite(price_usd_per_s))
}
