// The last drills of the way back, against their goals: whether an earlier revision would serve in time if it had to.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { type Drill, DRILL_TIERS, type DrillTier, WAY_BACK_LIMITS_S } from '@ironlaw/contracts/way-back-drill'
import type { ReactNode } from 'react'
import { showAgo, showDuration } from '../runs/run-words.tsx'
import { Card } from '../ui/card.tsx'

type DrillsViewProps = Pick<DeploymentView, 'name' | 'drills'>

export const DrillsView = ({ name, drills = [] }: DrillsViewProps): ReactNode => (
  <Card
    title="Drills of the way back"
    about="A drill moves all requests to the revision that served before and back again, and takes the time of both."
  >
    <ul className="events">
      {DRILL_TIERS.map((tier) => (
        <li key={tier}>
          <DrillOfTier name={name} tier={tier} drill={drills.find((each) => each.tier === tier)} />
        </li>
      ))}
    </ul>
  </Card>
)

const TIERS: Readonly<Record<DrillTier, string>> = {
  warm: 'to replicas that are kept ready',
  registry: 'to replicas that have to start',
}

type DrillOfTierProps = { readonly name: string; readonly tier: DrillTier; readonly drill: Drill | undefined }

function DrillOfTier({ name, tier, drill }: DrillOfTierProps): ReactNode {
  const goal = `goal ${showDuration(WAY_BACK_LIMITS_S[tier])}`
  if (!drill)
    return (
      <>
        <strong>{tier}</strong>, {TIERS[tier]}: never drilled <span className="quiet">{goal}</span>
        <br />
        <code className="long">
          ironlaw drill rollback {name} --tier {tier}
        </code>
      </>
    )
  const { back_s, forth_s, limit_s, within, from, to, at, by } = drill
  return (
    <>
      <strong>{tier}</strong>, {TIERS[tier]}: <strong>{back_s === undefined ? 'not reached' : showDuration(back_s)}</strong>{' '}
      <span className="quiet">goal {showDuration(limit_s)}</span>{' '}
      <span className={`chip ${within ? 'good' : 'bad'}`}>{within ? 'within its goal' : 'beyond its goal'}</span>
      <br />
      <span className="quiet">
        revision {from} to {to}, and {forth_s === undefined ? 'not back again in time' : `back again in ${showDuration(forth_s)}`};{' '}
        <time title={new Date(1000 * at).toISOString()}>{showAgo(at)}</time> by {by}
      </span>
    </>
  )
}
