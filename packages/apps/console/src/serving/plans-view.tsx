// The best deployments side by side, and why the other shapes were refused.

import type { RejectedLayout } from '@ironlaw/planner'
import { dollars, seconds, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Heads } from '../ui/heads.tsx'
import { TableBox } from '../ui/table-box.tsx'
import type { ServingAnswer } from './answer.ts'
import { shapeText } from './headline.tsx'

export type ServingPlansProps = { readonly answer: ServingAnswer; readonly rank: number; readonly onPick: (rank: number) => void }

export const ServingPlans = memo(({ answer: { plans, tried, rejected }, rank, onPick }: ServingPlansProps): ReactNode => (
  <Card title="Deployments" wide about={`${tried} shapes tried, ${rejected.length} refused. Select one to see its details.`}>
    <TableBox label="Table of deployments">
      <table>
        <thead>
          <tr>
            <Heads names={['Shape', 'Accelerator']} />
            <Heads names={['Devices', 'Cost', 'Per million tokens', 'TTFT', 'TPOT', 'Per replica']} numbers />
          </tr>
        </thead>
        <tbody>
          {plans.map(({ id, pools, accelerator, precision, devices, prediction }, at) => (
            <tr key={id} className={at === rank ? 'chosen' : ''} onClick={() => onPick(at)}>
              <td>
                <button type="button" className="row-pick" aria-pressed={at === rank} onClick={() => onPick(at)}>
                  <code>{pools.map(shapeText).join(', ')}</code>
                </button>
              </td>
              <td>
                {accelerator}, {precision}
              </td>
              <td className="number">{devices.toLocaleString('en')}</td>
              <td className="number">
                {prediction.usd_per_hour === undefined ? '' : `${show(dollars(prediction.usd_per_hour), 'USD')}/h`}
              </td>
              <td className="number">
                {prediction.usd_per_million_tokens === undefined ? '' : show(dollars(prediction.usd_per_million_tokens), 'USD')}
              </td>
              <td className="number">{show(seconds(prediction.ttft_s), 's')}</td>
              <td className="number">{show(seconds(prediction.tpot_s), 's')}</td>
              <td className="number">{prediction.replica_requests_per_s.toPrecision(3)} /s</td>
            </tr>
          ))}
        </tbody>
      </table>
      <RejectedShapes rejected={rejected} open={plans.length === 0} />
    </TableBox>
  </Card>
))

const RejectedShapes = ({ rejected, open }: { readonly rejected: readonly RejectedLayout[]; readonly open: boolean }): ReactNode => (
  <details className="refusals" open={open}>
    <summary>Refused, by reason</summary>
    <ul>
      {[...Map.groupBy(rejected, ({ reason }) => reason)].map(([reason, all]) => (
        <li key={reason}>
          <strong>{all.length}</strong> {reason}{' '}
          <span className="quiet">
            {all
              .slice(0, 4)
              .map(({ accelerator, precision, layout }) => [accelerator, precision, layout].filter(Boolean).join(' '))
              .join('; ')}
            {all.length > 4 ? '; …' : ''}
          </span>
        </li>
      ))}
    </ul>
  </details>
)
