// Time by cause, one bar each, with the prediction outlined below it.

import type { Ledger } from '@ironlaw/contracts/ledger'
import type { ReactNode } from 'react'
import { BarBox } from './bar-box.tsx'

type Row = Pick<Ledger['causes'][number], 'cause' | 'accelerator_s' | 'predicted_accelerator_s' | 'share'>

export type CauseBarsProps = {
  readonly rows: readonly Row[]
  readonly time: (accelerator_s: number) => string
  /** Shown after the time, in a muted colour. */
  readonly remark: (row: Row) => string
  readonly roomy?: boolean
}

/** Smaller shares are shown as 0.0 %. */
const LEAST_SHARE = 0.0005

/** Causes that took time, or were predicted to. */
export const bookedCauses = (causes: readonly Row[]): readonly Row[] =>
  causes.filter(({ share, predicted_accelerator_s = 0 }) => share >= LEAST_SHARE || predicted_accelerator_s > 0)

export function CauseBars({ rows, time, remark, roomy = false }: CauseBarsProps): ReactNode {
  const most = Math.max(...rows.flatMap(({ accelerator_s, predicted_accelerator_s = 0 }) => [accelerator_s, predicted_accelerator_s]), 1e-9)
  if (rows.length === 0) return undefined
  return (
    <BarBox label="Time by cause" heads={['cause', 'time', 'remark']}>
      <ul className={roomy ? 'waterfall roomy' : 'waterfall'}>
        {rows.map((row) => (
          <li key={row.cause}>
            <span>{row.cause}</span>
            <span className="waterfall-bars">
              <i className="work" style={{ width: `${(100 * row.accelerator_s) / most}%` }} />
              {row.predicted_accelerator_s !== undefined && (
                <i className="predicted" style={{ width: `${(100 * row.predicted_accelerator_s) / most}%` }} />
              )}
            </span>
            <span>{time(row.accelerator_s)}</span>
            <span className="quiet">{remark(row)}</span>
          </li>
        ))}
      </ul>
    </BarBox>
  )
}
