// The selected node: its state, and whether it gets new jobs.

import type { NodeView } from '@ironlaw/contracts/api'
import { bytesPerSecond, flopPerSecond, show } from '@ironlaw/units'
import { type ReactNode, useState } from 'react'
import { call, type Problem } from '../runs/api.ts'
import { useAllowed } from '../shell/use-grants.ts'
import { ConfirmButton } from '../ui/ask-first.tsx'
import { Refusal } from '../ui/refusal.tsx'

export type NodeCardProps = { readonly node: NodeView; readonly onOrdered: () => void }

export function NodeCard({ node, onOrdered }: NodeCardProps): ReactNode {
  const { name, state, slots, free, reason, readings = [] } = node
  const isOperator = useAllowed('drainNode')
  const [why, setWhy] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const order = async (what: 'drain' | 'undrain'): Promise<void> => {
    const answer = await (what === 'drain' ? call('drainNode', { name, body: { reason: why.trim() } }) : call('undrainNode', { name }))
    setProblem(answer.ok ? undefined : answer)
    onOrdered()
  }
  return (
    <section className="node-card" aria-label={`Node ${name}`}>
      <strong>{name}</strong>
      <span className={`chip ${state === 'busy' || state === 'idle' ? 'good' : state === 'drained' ? 'plain' : 'bad'}`}>{state}</span>
      <span className="quiet">
        {slots - free} of {slots} slots taken
        {reason === undefined ? '' : ` · ${reason}`}
      </span>
      {readings.map(({ kind, at, product_flops, memory_bytes_per_s, link_bytes_per_s }) => (
        <span key={kind} className="quiet" title={`checked ${new Date(1000 * at).toISOString().slice(0, 16).replace('T', ' ')} UTC`}>
          last check: {show(flopPerSecond(product_flops), 'FLOP/s')} in a matrix product, {show(bytesPerSecond(memory_bytes_per_s), 'B/s')}{' '}
          of memory{link_bytes_per_s !== undefined && `, ${show(bytesPerSecond(link_bytes_per_s), 'B/s')} to other nodes`}
        </span>
      ))}
      {!isOperator ? null : state === 'drained' ? (
        <ConfirmButton really="Confirm: return to service" onAgreed={() => void order('undrain')}>
          Return to service
        </ConfirmButton>
      ) : (
        <>
          <div className="field">
            <label htmlFor="drain-reason">Reason</label>
            <input
              id="drain-reason"
              value={why}
              maxLength={200}
              placeholder="why it gets no new jobs"
              onChange={({ target }) => setWhy(target.value)}
            />
          </div>
          <ConfirmButton really={`Confirm: drain ${name}`} onAgreed={() => void order('drain')} disabled={why.trim() === ''}>
            Drain
          </ConfirmButton>
        </>
      )}
      {problem && <Refusal problem={problem} />}
    </section>
  )
}
