// Where the time went, predicted beside measured, by cause.

import type { Ledger } from '@ironlaw/contracts/ledger'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { duration } from './run-words.tsx'

export const LedgerView = memo(({ ledger }: { readonly ledger: Ledger }): ReactNode => {
  const { causes, accelerators, goodput, gap } = ledger
  const rows = causes.filter(({ accelerator_s, predicted_accelerator_s = 0 }) => accelerator_s + predicted_accelerator_s > 0)
  const most = Math.max(...rows.flatMap(({ accelerator_s, predicted_accelerator_s = 0 }) => [accelerator_s, predicted_accelerator_s]), 1e-9)
  return (
    <Card
      title="Where the time went"
      wide
      about={`${duration(ledger.wall_s)} of ${accelerators} accelerators; ${percent(goodput.scheduling)} held and working, ${percent(goodput.runtime)} of that in steps that count.`}
    >
      <ul className="waterfall">
        {rows.map(({ cause, accelerator_s, predicted_accelerator_s, share }) => (
          <li key={cause}>
            <span>{cause}</span>
            <span className="waterfall-bars">
              <i className="work" style={{ width: `${(100 * accelerator_s) / most}%` }} />
              {predicted_accelerator_s !== undefined && (
                <i className="predicted" style={{ width: `${(100 * predicted_accelerator_s) / most}%` }} />
              )}
            </span>
            <span>{duration(accelerator_s / accelerators)}</span>
            <span className="quiet">
              {predicted_accelerator_s === undefined ? percent(share) : `predicted ${duration(predicted_accelerator_s / accelerators)}`}
            </span>
          </li>
        ))}
      </ul>
      {gap && (
        <p className="outside">
          Most beyond the prediction: {gap.cause}, {duration(gap.accelerator_s / accelerators)}. What would close it: {gap.next}.
        </p>
      )}
    </Card>
  )
})

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
