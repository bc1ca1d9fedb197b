// What a training spec states of failures and of what the run does about them.

import { quantityOf } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { SPOT_BACK_S, SPOT_LIFE, type SpotNodes } from './offers.ts'
import type { CampaignOptions } from './plan-campaign.ts'

export function statedFailures({ failures = {} }: Pick<TrainSpec, 'failures'>): CampaignOptions {
  const { perThousandNodeDays, restart, checkpointTo, storageBandwidth, spot } = failures
  return {
    ...(perThousandNodeDays !== undefined && { perNodeDay: perThousandNodeDays / 1000 }),
    ...(restart !== undefined && { restart }),
    ...(checkpointTo !== undefined && { checkpointTo }),
    ...(storageBandwidth !== undefined && { store_bytes_per_s: quantityOf(storageBandwidth, 'B/s') }),
    ...(spot && { spot: spotNodes(spot) }),
  }
}

type StatedSpot = NonNullable<NonNullable<TrainSpec['failures']>['spot']>

const spotNodes = ({ life, back, together = 1 }: StatedSpot): SpotNodes => ({
  mtbf_s: life === undefined ? SPOT_LIFE.value : quantityOf(life, 's'),
  back_s: back === undefined ? SPOT_BACK_S : quantityOf(back, 's'),
  together,
})
