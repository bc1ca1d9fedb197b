// How the time that finished runs requested was used: three tiers, and where the rest went.

import type { FleetLedger } from '@ironlaw/contracts/ledger-fleet'
import { dollars, show, showShortPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { showDuration } from '../runs/run-words.tsx'
import { BarBox } from '../ui/bar-box.tsx'
import { Card, Empty } from '../ui/card.tsx'
import { bookedCauses, CauseBars } from '../ui/cause-bars.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'
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

export const GroupsView = memo(({ ledger }: UtilisationViewProps): ReactNode => (
  <Card
    title={ledger?.by === 'team' ? 'By team' : 'By project'}
    about="Which runs used the time, and how much of it was productive."
    busy={!ledger}
  >
    {!ledger || ledger.groups.length === 0 ? (
      <EmptyBooks ledger={ledger} />
    ) : (
      <TableBox label="Table of groups" isTall>
        <table>
          <thead>
            <tr>
              <Heads names={['Name']} />
              <Heads names={['Runs', 'Time', 'Share', 'Productive', 'Cost']} numbers />
            </tr>
          </thead>
          <tbody>
            {ledger.groups.map(({ name, runs, accelerator_s, share, goodput, cost_usd }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">{runs}</td>
                <td className="number">{hours(accelerator_s)}</td>
                <td className="number">{showShortPercent(share)}</td>
                <td className="number">{goodput.runtime === undefined ? '–' : showShortPercent(goodput.scheduling * goodput.runtime)}</td>
                <td className="number">{cost_usd === undefined ? '–' : show(dollars(cost_usd), 'USD')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    )}
  </Card>
))
