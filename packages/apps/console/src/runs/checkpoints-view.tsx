import type { CheckpointView } from '@ironlaw/contracts/api'
import { bytes, show } from '@ironlaw/units'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { showClock, showDuration } from './run-words.tsx'

const COLUMNS: readonly Column<CheckpointView>[] = [
  { name: 'Step', value: ({ step }) => step },
  { name: 'State', value: ({ state }) => state },
  { name: 'Size', value: ({ bytes: size }) => size || undefined, cell: ({ bytes: size }) => (size === 0 ? '' : show(bytes(size), 'B')) },
  { name: 'Written in', value: ({ write_s }) => write_s, cell: ({ write_s }) => showDuration(write_s) },
  { name: 'Held training', value: ({ pause_s }) => pause_s, cell: ({ pause_s }) => showDuration(pause_s) },
  { name: 'At', value: ({ at }) => at, cell: ({ at }) => showClock(at) },
]

export const CheckpointsView = memo(({ checkpoints }: { readonly checkpoints: readonly CheckpointView[] | undefined }): ReactNode => (
  <Card title="Checkpoints" wide busy={!checkpoints}>
    {!checkpoints?.length ? (
      <Empty>{checkpoints ? 'No checkpoint committed yet.' : 'Reading…'}</Empty>
    ) : (
      <DataTable
        name="checkpoints"
        label="Table of checkpoints"
        columns={COLUMNS}
        rows={checkpoints}
        keyOf={({ step, state, attempt }) => `${step} ${state} ${attempt}`}
        isTall
      />
    )}
  </Card>
))
