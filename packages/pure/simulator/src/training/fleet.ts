// The nodes of a run: those it lacks, those that stand by. Nodes are alike, so they are counted and not listed; the missing ones are
// taken as the first. Spares are cold and do not fail.

import { type FailureResponse, afterFailure, usableNodes } from '@ironlaw/policies'
import type { Campaign, Scope } from './campaign.ts'

export class CampaignFleet {
  missing = 0
  private spares: number
  /** Missing nodes that the run has decided to do without. */
  private accepted = 0
  private readonly campaign: Campaign

  constructor(campaign: Campaign) {
    this.campaign = campaign
    this.spares = campaign.spares
  }

  /** Nodes in place below a unit. */
  nodesHit(scope: Scope, unit: number): number {
    const { nodes, perNode, nodesPerRack, nodesPerSwitch } = this.campaign
    if (scope === 'job') return 0
    if (scope === 'accelerator') return Math.floor(unit / perNode) >= this.missing ? 1 : 0
    const span = scope === 'node' ? 1 : scope === 'rack' ? nodesPerRack : nodesPerSwitch
    return Math.max(0, Math.min(nodes, (unit + 1) * span) - Math.max(unit * span, this.missing))
  }

  get ready(): boolean {
    return this.missing <= this.accepted
  }

  /** Applies the policy's decision and returns it. */
  gather(): FailureResponse['kind'] {
    const { nodes, elastic } = this.campaign
    const next = afterFailure({ needed: nodes, missing: this.missing, spares: this.spares }, elastic)
    if (next.kind === 'swap' || next.kind === 'shrink') {
      this.spares -= next.take
      this.missing -= next.take
    }
    if (next.kind !== 'wait') this.accepted = this.missing
    return next.kind
  }

  addRepaired(nodes: number): void {
    this.spares += nodes
  }

  /** Whether nodes stand by that would make a run larger that goes on too small. */
  get canGrow(): boolean {
    const { elastic, nodes } = this.campaign
    if (!elastic || this.missing === 0) return false
    const present = nodes - this.missing
    return usableNodes(Math.min(nodes, present + this.spares), elastic) > usableNodes(present, elastic)
  }

  /** Share of the planned nodes that work. */
  get size(): number {
    const { elastic, nodes } = this.campaign
    return this.missing === 0 || !elastic ? 1 : usableNodes(nodes - this.missing, elastic) / nodes
  }
}
