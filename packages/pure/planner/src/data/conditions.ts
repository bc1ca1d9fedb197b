// Where and with what a data pipeline runs, besides what the probe found.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import type { LearnedRates } from './rates.ts'

export type DataConditions = {
  readonly workers: number
  /** That all workers share; those of the probe's machine when absent. */
  readonly cores?: number
  /** Stored bytes a second that one reader gets; as the probe measured when absent. */
  readonly reader_bytes_per_s?: number
  /** What storage gives all readers together; as many times one reader as there are when absent. */
  readonly storage_bytes_per_s?: number
  /** To open a file and read a little of it. */
  readonly open_s?: number
  /** To make a small file durable; as the probe measured when absent. */
  readonly write_s?: number
  readonly start_s?: number
  /** Similarity from which documents are meant to be near-duplicates. */
  readonly similarity?: number
  readonly bytesPerToken?: 2 | 4
  /** Of the machine that joins near-duplicates, and of one worker. */
  readonly memory_bytes?: number
  readonly workerMemory_bytes?: number
  readonly disk_bytes?: number
  readonly coreHour_usd?: number
  readonly budget_usd?: number
  /** What finished runs on this kind of machine took. */
  readonly rates?: LearnedRates
}

type Filled<Key extends keyof DataConditions> = Required<Pick<DataConditions, Key>>
export type FilledConditions = DataConditions &
  Filled<'cores' | 'reader_bytes_per_s' | 'open_s' | 'write_s' | 'start_s' | 'bytesPerToken' | 'similarity'>

/** Opening a file on a shared file system, making one durable, and starting a process that loads a tokenizer. */
const OPEN_S = 1e-3
const WRITE_S = 5e-3
const START_S = 1.5
const SIMILARITY = 0.8

export const filledConditions = (conditions: DataConditions, { machine, token_bytes = 4 }: DataProbe): FilledConditions => ({
  cores: machine.cores,
  reader_bytes_per_s: machine.read_bytes_per_s,
  memory_bytes: machine.memory_bytes,
  open_s: OPEN_S,
  write_s: machine.write_file_s ?? WRITE_S,
  start_s: START_S,
  bytesPerToken: token_bytes,
  similarity: SIMILARITY,
  ...conditions,
})

export const parallelWorkers = ({ workers, cores }: FilledConditions): number => Math.max(1, Math.min(workers, cores))
