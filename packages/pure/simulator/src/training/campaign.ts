// What is simulated: a run, the fleet under it, how its parts fail, and what the run does about it. Bare numbers end in their unit.

import type { CheckpointRule, ElasticRule } from '@ironlaw/policies'

/** What one failure takes down: all nodes of a rack or below a switch go together. */
export type Scope = 'accelerator' | 'node' | 'rack' | 'switch' | 'job'

export type Component = {
  readonly name: string
  readonly scope: Scope
  /** Mean time between failures of one unit of the scope. */
  readonly mtbf_s: number
  /** Weibull shape: below 1 early failures, above 1 wear-out; exponential when absent. */
  readonly shape?: number
  /** Age of the parts when the run starts; matters where there is a shape. */
  readonly age_s?: number
  /** From the failure until the run stops for it. */
  readonly detect_s: number
  /** Mean time until the nodes return; 0: nothing is broken, a restart is enough. */
  readonly repair_s: number
  /** The run goes on and its results are void from here; `detect_s` is then the mean of an exponential time. */
  readonly silent?: true
  /** Announced this long before, as spot instances are: time for a checkpoint. */
  readonly notice_s?: number
}

export type Tier = {
  readonly name: string
  /** Written in the background after the pause; 0 when it is committed at the end of the pause. */
  readonly write_s: number
  readonly load_s: number
  /** Every how many checkpoints go to this tier. */
  readonly every: number
  /** The loss it outlives: of the processes only, of any one node, or of a whole rack or switch. */
  readonly survives: Survival
}

export type Survival = 'process' | 'node' | 'everything'

type Checkpointing = {
  readonly rule: CheckpointRule
  /** Training stands still: the whole write when synchronous, the copy to host memory when not. */
  readonly pause_s: number
  /** Fastest first; the last is the durable one. */
  readonly tiers: readonly [Tier, ...Tier[]]
  /** Share of speed lost while a background write runs. */
  readonly slowdown: number
}

export type Campaign = {
  readonly nodes: number
  readonly perNode: number
  readonly nodesPerRack: number
  readonly nodesPerSwitch: number
  readonly spares: number
  /** Training time without any loss; Infinity where a window is observed. */
  readonly work_s: number
  /** Simulation ends here, finished or not. */
  readonly window_s: number
  readonly components: readonly Component[]
  readonly checkpointing: Checkpointing
  readonly recovery: { readonly swap_s: number; readonly restart_s: number; readonly warmup_s: number }
  /** Without it a run that lacks nodes waits for repair. */
  readonly elastic?: ElasticRule
  /** Nodes that slow the whole run down until they are detected. */
  readonly stragglers?: { readonly mtbf_s: number; readonly slowdown: number; readonly lasts_s: number }
  readonly maintenance?: { readonly every_s: number; readonly lasts_s: number }
  /** Waiting for the first allocation. */
  readonly queue_s?: number
}

/** Units of a scope in the fleet that works. */
export function unitsOf({ nodes, perNode, nodesPerRack, nodesPerSwitch }: Campaign, scope: Scope): number {
  switch (scope) {
    case 'accelerator':
      return nodes * perNode
    case 'node':
      return nodes
    case 'rack':
      return Math.ceil(nodes / nodesPerRack)
    case 'switch':
      return Math.ceil(nodes / nodesPerSwitch)
    case 'job':
      return 1
  }
}

/** Mean time between failures of anything that stops the run. */
export const campaignMtbf = (campaign: Campaign): number =>
  1 / campaign.components.reduce((rate, { scope, mtbf_s }) => rate + unitsOf(campaign, scope) / mtbf_s, 0)
