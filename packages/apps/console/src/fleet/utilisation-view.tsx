// How the time that finished runs requested was used: three tiers, and where the rest went.

import type { FleetLedger } from '@ironlaw/contracts/ledger-fleet'
import { dollars, show, showShortPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { showDuration } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { bookedCauses, CauseBars } from '../ui/cause-bars.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { tiersOf } from './tiers.ts'

const SHADES = ['waiting', 'exchange', 'work'] as const

export type UtilisationViewProps = { readonly ledger: FleetLedger | undefined }

const hours = (accelerator_s: number): string =>
  `${(accelerator_s / 3600).toLocaleString('en-US', { maximumSignificantDigits: 3, maximumFractionDigits: 2, roundingPriority: 'lessPrecision' })} h`

const EmptyBooks = ({ ledger }: UtilisationViewProps): ReactNode => (
  <Empty>{ledger ? 'No finished run has been booked in this period; a run is booked ten minutes after its end.' : 'Reading…'}</Empty>
)

export const TiersView = memo(({ ledger }: UtilisationViewProps): ReactNode => {
  const about =
    ledger &&
    `${ledger.runs} runs that ended, ${hours(ledger.accelerator_s)} of accelerators; ${ledger.live} live and ${ledger.unbooked} just ended are not included.`
  return (
    <Card title="Utilisation in three tiers" busy={!ledger} about={about}>
      {!ledger || ledger.runs === 0 ? (
        <EmptyBooks ledger={ledger} />
      ) : (
        <>
          <BarBox label="Utilisation in three tiers" heads={['tier', 'share', 'meaning']}>
            <ul className="tiers">
              {tiersOf(ledger).map(({ name, share, about: meaning }, at) => (
                <li key={name}>
                  <span>{name}</span>
                  <span className="tier">
                    <i className={SHADES[at] ?? 'work'} style={{ width: `${100 * share}%` }} />
                  </span>
                  <strong>{showShortPercent(share)}</strong>
                  <span className="quiet">{meaning}</span>
                </li>
              ))}
            </ul>
          </BarBox>
          {ledger.goodput.program !== undefined && (
            <p className="about">In productive steps {showShortPercent(ledger.goodput.program)} of the peak was reached.</p>
          )}
        </>
      )}
    </Card>
  )
})

export const CausesView = memo(({ ledger }: UtilisationViewProps): ReactNode => {
  const rows = bookedCauses(ledger?.causes ?? [])
  return (
    <Card title="Where the time went" about="Accelerator-hours by cause; the outline is the prediction of the plans." busy={!ledger} wide>
      {rows.length === 0 && <EmptyBooks ledger={ledger} />}
      <CauseBars
        rows={rows}
        roomy
        time={hours}
        remark={({ share, predicted_accelerator_s }) =>
          predicted_accelerator_s === undefined
            ? showShortPercent(share)
            : `${showShortPercent(share)}, predicted ${hours(predicted_accelerator_s)}`
        }
      />
      {ledger?.gap && (
        <p className="outside">
          Largest excess over the prediction: {ledger.gap.cause}, {showDuration(ledger.gap.accelerator_s)} of accelerators. What would close
          it: {ledger.gap.next}.
        </p>
      )}
    </Card>
  )
})

type Group = FleetLedger['groups'][number]

const productiveShare = ({ goodput }: Group): number | undefined =>
  goodput.runtime === undefined ? undefined : goodput.scheduling * goodput.runtime

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { name: 'Name', value: ({ name }) => name },
  { name: 'Runs', isNumber: true, value: ({ runs }) => runs },
  { name: 'Time', isNumber: true, value: ({ accelerator_s }) => accelerator_s, cell: ({ accelerator_s }) => hours(accelerator_s) },
  { name: 'Share', isNumber: true, value: ({ share }) => share, cell: ({ share }) => showShortPercent(share) },
  {
    name: 'Productive',
    isNumber: true,
    value: productiveShare,
    cell: (group) => {
      const share = productiveShare(group)
      return share === undefined ? '–' : showShortPercent(share)
    },
  },
  {
    name: 'Cost',
    isNumber: true,
    value: ({ cost_usd }) => cost_usd,
    cell: ({ cost_usd }) => (cost_usd === undefined ? '–' : show(dollars(cost_usd), 'USD')),
  },
]

export const GroupsView = memo(({ ledger }: UtilisationViewProps): ReactNode => (
  <Card
    title={ledger?.by === 'team' ? 'By team' : 'By project'}
    about="Which runs used the time, and how much of it was productive."
    busy={!ledger}
  >
    {!ledger || ledger.groups.length === 0 ? (
      <EmptyBooks ledger={ledger} />
    ) : (
      <DataTable name="groups" label="Table of groups" columns={GROUP_COLUMNS} rows={ledger.groups} keyOf={({ name }) => name} isTall />
    )}
  </Card>
))
