// One decoding step by cause, and what the memory of a device holds.

import type { ServingPlan } from '@ironlaw/contracts'
import { bytes, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { BarBox } from '../ui/bar-box.tsx'
import { Card } from '../ui/card.tsx'

const NATURES: Readonly<Record<string, string>> = {
  exchange: 'exchange',
  tensor: 'exchange',
  expert: 'exchange',
  send: 'exchange',
  launch: 'waiting',
  host: 'waiting',
}

const WORDS: Readonly<Record<string, string>> = {
  products: 'matrix products',
  vector: 'vector work',
  head: 'output layer',
  launch: 'kernel launches',
  tensor: 'tensor exchange',
  expert: 'expert exchange',
  send: 'between stages',
}
const words = (cause: string): string => WORDS[cause] ?? cause

export const DecodeStepView = memo(({ plan }: { readonly plan: ServingPlan }): ReactNode => {
  const { step_s, memoryBandwidthUtilization, flopsUtilization, cache_tokens, weights_bytes, decoding } = plan.prediction
  const rows = Object.entries(step_s)
    .filter(([, value]) => value > 0)
    .toSorted(([, a], [, b]) => b - a)
  const total = rows.reduce((sum, [, value]) => sum + value, 0)
  const context = plan.traffic.input_tokens + plan.traffic.output_tokens / 2
  const held = (decoding * context) / cache_tokens
  return (
    <Card
      title="One decoding step"
      about={`${show(seconds(total), 's')} for ${Math.round(decoding)} requests: ${showPercent(memoryBandwidthUtilization, 0)} of memory bandwidth, ${showPercent(flopsUtilization, 0)} of arithmetic`}
    >
      <BarBox label="One decoding step" heads={['cause', 'time', 'share']}>
        <div
          className="stack"
          role="img"
          aria-label={rows.map(([cause, value]) => `${words(cause)} ${((100 * value) / total).toFixed(0)} %`).join(', ')}
        >
          {rows.map(([cause, value], at) => (
            <span key={cause} className={`part ${NATURES[cause] ?? 'work'}`} style={{ flexGrow: value / total, '--tint': Math.min(at, 5) }}>
              {value / total > 0.15 && at < 2 ? words(cause) : ''}
            </span>
          ))}
        </div>
        <ul className="legend">
          {rows.map(([cause, value], at) => (
            <li key={cause}>
              <i className={`swatch ${NATURES[cause] ?? 'work'}`} style={{ '--tint': Math.min(at, 5) }} />
              <span>{words(cause)}</span>
              <span>{show(seconds(value), 's')}</span>
              <span className="quiet">{((100 * value) / total).toFixed(0)} %</span>
            </li>
          ))}
        </ul>
      </BarBox>
      <h3 className="quiet">Key-value cache of a replica</h3>
      <dl className="sums">
        <div>
          <dt>Room, tokens</dt>
          <dd>{show(quantity(Math.round(cache_tokens), '1'), '1')}</dd>
        </div>
        <div>
          <dt>Held at the peak</dt>
          <dd>{showPercent(held, 0)}</dd>
        </div>
        <div>
          <dt>Weights a device</dt>
          <dd>{show(bytes(weights_bytes), 'B')}</dd>
        </div>
      </dl>
      <meter className="meter wide" min={0} max={1} value={Math.min(1, held)} aria-label="Share of the cache that requests hold" />
    </Card>
  )
})
