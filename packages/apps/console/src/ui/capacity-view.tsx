// How full a plan keeps the hardware: every resource of a device, the fullest first.

import type { Capacity } from '@ironlaw/contracts'
import { byFullness, CAPACITY_WORDS } from '@ironlaw/planner'
import { quantity, show, showShortPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { BarBox } from './bar-box.tsx'
import { Card } from './card.tsx'

export type CapacityViewProps = {
  readonly title: string
  readonly about: string
  readonly capacities: readonly Capacity[] | undefined
}

export const CapacityView = memo(({ title, about, capacities = [] }: CapacityViewProps): ReactNode =>
  capacities.length === 0 ? null : (
    <Card title={title} about={about}>
      <BarBox label={title} heads={['resource', 'used', 'of']}>
        <ul className="fullness">
          {byFullness(capacities).map(({ resource, share, has, unit }) => (
            <li key={resource}>
              <span>{CAPACITY_WORDS[resource]}</span>
              <span className="fullness-bar" aria-hidden="true">
                <i className={share > 0.9 ? 'swatch waiting' : 'swatch work'} style={{ width: `${100 * Math.min(1, share)}%` }} />
              </span>
              <span>{showShortPercent(share)}</span>
              <span className="quiet">of {show(quantity(has, unit), unit)}</span>
            </li>
          ))}
        </ul>
      </BarBox>
    </Card>
  ),
)
