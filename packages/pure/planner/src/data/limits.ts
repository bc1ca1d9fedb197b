// What binds a pipeline: first what does not fit at all, then what its time goes to, then how full the rest is.

import type { DataLimit } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { quantity, show } from '@ironlaw/units'
import { type FilledConditions, parallelWorkers } from './conditions.ts'
import type { PipelineTime } from './passes.ts'
import type { Volumes } from './volumes.ts'

type LimitInput = {
  readonly probe: DataProbe
  readonly conditions: FilledConditions
  readonly time: PipelineTime
  readonly volumes: Volumes
  readonly cost_usd?: number
}

const MOST_DOCUMENTS = 2 ** 32 - 1

/** Less than this is not worth a line. */
const LEAST_SHARE = 0.005

const bytes = (value: number): string => show(quantity(value, 'B'), 'B')
const seconds = (value: number): string => show(quantity(value, 's'), 's')

export function limitsOf(input: LimitInput): readonly DataLimit[] {
  const rooms = roomLimits(input)
  const byShare = (limits: readonly DataLimit[]): readonly DataLimit[] => limits.toSorted((a, b) => b.share - a.share)
  return [
    ...byShare(rooms.filter(({ share }) => share > 1)),
    ...byShare(timeLimits(input)),
    ...byShare(rooms.filter(({ share }) => share <= 1)),
  ].filter(({ share }) => share >= LEAST_SHARE)
}

function timeLimits({ probe, conditions, time, volumes }: LimitInput): readonly DataLimit[] {
  const { held, duration } = time
  const { corpus } = probe
  const parallel = parallelWorkers(conditions)
  const limit = (name: DataLimit['name'], time_s: number, detail: string): DataLimit => ({ name, share: time_s / duration.value, detail })
  return [
    limit('cores', held.cores, `${seconds(held.cores)} of work on ${parallel} cores; twice as many cores halve it`),
    limit(
      'storage',
      held.storage,
      `${bytes(corpus.stored_bytes)} are read in ${seconds(held.storage)}; faster storage or better compression`,
    ),
    limit(
      'largest unit',
      held.unit,
      `the largest of ${corpus.units} units has ${bytes(corpus.largestUnit_bytes)}, and workers wait ${seconds(held.unit)} for the last; cut files smaller`,
    ),
    limit(
      'clustering time',
      held.join,
      `one process joins ${bytes(volumes.edges_bytes)} of edges in ${seconds(held.join)}, however many workers there are`,
    ),
    limit(
      'partition files',
      held.opens,
      `${corpus.units} units x ${volumes.partitions} partitions and ${volumes.shards} shards are written and read piece by piece; larger units`,
    ),
    limit('start-up', held.start, `${seconds(held.start)} until workers run`),
  ]
}

function roomLimits({ probe, conditions, volumes, cost_usd = 0 }: LimitInput): readonly DataLimit[] {
  const { memory_bytes, workerMemory_bytes, disk_bytes, budget_usd, workers } = conditions
  const worker_bytes =
    workerMemory_bytes ?? (memory_bytes === undefined ? undefined : memory_bytes / Math.min(workers, probe.machine.cores))
  const rooms: readonly (Room & { readonly next: string })[] = [
    { name: 'clustering memory', need: volumes.cluster.value, room: memory_bytes, next: 'a larger machine, or sources apart' },
    { name: 'worker memory', need: volumes.worker.value, room: worker_bytes, next: 'fewer workers on a machine' },
    { name: 'disk', need: volumes.disk.value, room: disk_bytes, next: 'more room for intermediate files' },
    {
      name: 'document numbers',
      need: volumes.deduplicated,
      room: MOST_DOCUMENTS,
      next: 'documents are numbered with 32 bits: deduplicate sources apart, then their results by exact text',
    },
    { name: 'money', need: cost_usd, room: budget_usd, next: 'fewer steps, or cheaper cores' },
  ]
  return rooms.flatMap(({ name, need, room, next }) => {
    if (room === undefined || room <= 0) return []
    return [{ name, share: need / room, detail: `${amountText(name, need)} of ${amountText(name, room)}; ${next}` }]
  })
}

const amountText = (name: DataLimit['name'], amount: number): string =>
  name === 'money' ? `${amount.toFixed(2)} USD` : name === 'document numbers' ? String(Math.round(amount)) : bytes(amount)

type Room = { readonly name: DataLimit['name']; readonly need: number; readonly room: number | undefined }
