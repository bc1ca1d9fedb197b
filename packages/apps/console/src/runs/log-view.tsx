// The log of one rank of the current attempt, as it grows.

import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { type ReactNode, useEffect, useState } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { Select } from '../ui/fields.tsx'
import { readText } from './api.ts'

const POLL_MS = 2000
/** The end is what people read. */
const KEPT_CHARACTERS = 60_000

export type LogViewProps = { readonly run: RunView; readonly at: string; readonly rank: number; readonly onRank: (rank: number) => void }

export function LogView({ run, at, rank, onRank }: LogViewProps): ReactNode {
  const [log, setLog] = useState('')
  const over = isTerminal(run.state)
  useEffect(() => {
    let gone = false
    const read = async (): Promise<void> => {
      const answer = await readText(`${at}/logs?attempt=${Math.max(1, run.attempt)}&rank=${rank}&offset=0`)
      if (answer.ok && !gone) setLog(answer.value.slice(-KEPT_CHARACTERS))
    }
    void read()
    const timer = over ? undefined : setInterval(() => void read(), POLL_MS)
    return () => {
      gone = true
      clearInterval(timer)
    }
  }, [at, rank, run.attempt, over])
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
        <Empty>Nothing was printed yet.</Empty>
      ) : (
        <pre tabIndex={0} aria-label={`Log of rank ${rank}`}>
          {log}
        </pre>
      )}
    </Card>
  )
}
