import type { CheckpointView } from '@ironlaw/contracts/api'
import { bytes, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { TableBox } from '../ui/table-box.tsx'
import { showClock, showDuration } from './run-words.tsx'

export const CheckpointsView = memo(({ checkpoints }: { readonly checkpoints: readonly CheckpointView[] | undefined }): ReactNode => (
  <Card title="Checkpoints" wide busy={!checkpoints}>
    {!checkpoints?.length ? (
      <Empty>{checkpoints ? 'No checkpoint committed yet.' : 'Reading…'}</Empty>
    ) : (
      <TableBox label="Table of checkpoints" isTall>
        <table>
          <thead>
            <tr>
              {['Step', 'State', 'Size', 'Written in', 'Held training', 'At'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {checkpoints.map(({ step, state, attempt, bytes: size, write_s, pause_s, at }) => (
              <tr key={`${step} ${state} ${attempt}`}>
                <td>{step}</td>
                <td>{state}</td>
                <td>{size === 0 ? '' : show(bytes(size), 'B')}</td>
                <td>{showDuration(write_s)}</td>
                <td>{showDuration(pause_s)}</td>
                <td>{showClock(at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    )}
  </Card>
))
