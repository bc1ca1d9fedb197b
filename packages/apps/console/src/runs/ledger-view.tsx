// Where the time went, predicted and measured, by cause.

import type { Ledger } from '@ironlaw/contracts/ledger'
import { memo, type ReactNode } from 'react'
import { showPercent } from '@ironlaw/units'
import { Card } from '../ui/card.tsx'
import { bookedCauses, CauseBars } from '../ui/cause-bars.tsx'
import { showDuration } from './run-words.tsx'

export const LedgerView = memo(({ ledger }: { readonly ledger: Ledger }): ReactNode => {
  const { causes, accelerators, goodput, gap, deviations = [] } = ledger
  const showTime = (accelerator_s: number): string => showDuration(accelerator_s / accelerators)
  return (
    <Card
      title="Where the time went"
      wide
      about={`${showDuration(ledger.wall_s)} of ${accelerators} accelerators; ${showPercent(goodput.scheduling, 0)} held and working, ${goodput.runtime === undefined ? 'no steps reported' : `${showPercent(goodput.runtime, 0)} of that in steps that count`}.`}
    >
      {deviations.length > 0 && (
        <p className="outside">
          The program does not run what was planned, so the prediction is for a different run:{' '}
          {deviations.map(({ field, planned, running }) => `${field} planned ${planned}, running ${running}`).join('; ')}.
        </p>
      )}
      <CauseBars
        rows={bookedCauses(causes)}
        time={showTime}
        remark={({ share, predicted_accelerator_s }) =>
          predicted_accelerator_s === undefined ? showPercent(share, 0) : `predicted ${showTime(predicted_accelerator_s)}`
        }
      />
      {gap && (
        <p className="outside">
          Largest excess over the prediction: {gap.cause}, {showTime(gap.accelerator_s)}. What would close it: {gap.next}.
        </p>
      )}
    </Card>
  )
})
