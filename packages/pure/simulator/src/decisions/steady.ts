// A campaign for comparisons: long enough for the mean, short enough to ask many times.

import { type Campaign, campaignMtbf } from '../training/campaign.ts'

const LIFETIMES = 200

export function steadyCampaign(campaign: Campaign): Campaign {
  return { ...campaign, work_s: Infinity, window_s: Math.min(campaign.window_s, LIFETIMES * campaignMtbf(campaign)) }
}
