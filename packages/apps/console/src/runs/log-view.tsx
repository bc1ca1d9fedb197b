// The log of one rank of the current attempt, updated live.

import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { call } from './api.ts'
import { useLog } from './use-log.ts'

export type LogViewProps = { readonly run: RunView; readonly rank: number; readonly onRank: (rank: number) => void }

export function LogView({ run, rank, onRank }: LogViewProps): ReactNode {
  const { id } = run
  const attempt = Math.max(1, run.attempt)
  const log = useLog((offset) => call('readLog', { id, query: { attempt, rank, offset } }), {
    of: `${id} ${attempt} ${rank}`,
    isOver: isTerminal(run.state),
  })
  const ranks = Array.from({ length: Math.min(64, run.shape.nodes * run.shape.processesPerNode) }, (_, each) => String(each))
  return (
    <Card
      title="Log"
      wide
      aside={
        <Select label="Rank" value={String(rank)} options={ranks.map((id) => ({ id, name: id }))} onChange={(id) => onRank(Number(id))} />
      }
    >
      {log === '' ? (
        <Empty>No output yet.</Empty>
      ) : (
        <pre tabIndex={0} aria-label={`Log of rank ${rank}`}>
          {log}
        </pre>
      )}
    </Card>
  )
}
