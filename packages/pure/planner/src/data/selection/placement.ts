// Move the data to the machines, or run where the data lies: time and money of both.

import { explain, explainAlso } from '@ironlaw/laws'
import { bytesCost } from '@ironlaw/laws/cost/compute'
import { moveBreakEven } from '@ironlaw/laws/data/pipeline'
import { transferTime } from '@ironlaw/laws/network/message'
import { givenValue, type Known } from '@ironlaw/units'

type Site = { readonly time_s: number; readonly cost_usd: number }

export type PlacementRequest = {
  readonly bytes: number
  /** That the link sustains, not what it is sold as. */
  readonly link_bytes_per_s: number
  readonly egress_usd_per_byte: number
  /** The job where the data lies, and where it would be moved to. */
  readonly here: Site
  readonly there: Site
}

export type Placement = {
  readonly move: Site & { readonly transfer_s: number; readonly transfer_usd: number }
  readonly stay: Site
  readonly faster: 'move' | 'stay'
  readonly cheaper: 'move' | 'stay'
  /** Below this much data moving is faster, and cheaper. */
  readonly breakEven: { readonly time_bytes: number; readonly money_bytes: number }
  readonly derivations: { readonly transfer: Known<'s'>; readonly egress: Known<'USD'>; readonly breakEven: Known<'B'> }
}

export function dataPlacement({ bytes, link_bytes_per_s, egress_usd_per_byte, here, there }: PlacementRequest): Placement {
  const [data, link, price] = [givenValue(bytes, 'B'), givenValue(link_bytes_per_s, 'B/s'), givenValue(egress_usd_per_byte, 'USD/B')]
  const transfer = explain(transferTime, { bytes: data, linkBandwidth: link })
  const egress = explain(bytesCost, { bytes: data, price })
  const input = {
    computeHere: givenValue(here.time_s, 's'),
    computeThere: givenValue(there.time_s, 's'),
    linkBandwidth: link,
    costHere: givenValue(here.cost_usd, 'USD'),
    costThere: givenValue(there.cost_usd, 'USD'),
    egressPrice: price,
  }
  const breakEven = explain(moveBreakEven, input)
  const saved_usd = here.cost_usd - there.cost_usd
  // Where moving costs nothing, any amount of data may move for a saving and none without one.
  const money_bytes = egress_usd_per_byte > 0 ? explainAlso(moveBreakEven, input, 'bytesByMoney').value : saved_usd > 0 ? Infinity : 0
  const move = {
    time_s: transfer.value + there.time_s,
    cost_usd: egress.value + there.cost_usd,
    transfer_s: transfer.value,
    transfer_usd: egress.value,
  }
  return {
    move,
    stay: here,
    faster: move.time_s < here.time_s ? 'move' : 'stay',
    cheaper: move.cost_usd < here.cost_usd ? 'move' : 'stay',
    breakEven: { time_bytes: breakEven.value, money_bytes },
    derivations: { transfer, egress, breakEven },
  }
}
