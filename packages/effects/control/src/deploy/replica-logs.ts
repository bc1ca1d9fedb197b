// What the engine of a replica printed: its job's log, on storage that all nodes share. It stays when the replica is gone.

import { join } from 'node:path'
import type { Site } from '../reconcile/site.ts'
import type { FilePart } from '../storage/read-part.ts'
import type { SharedStorage, StorageAway } from '../storage/shared-storage.ts'
import { replicaDirectory } from './replica-job.ts'

export type ReplicaLog = FilePart | StorageAway

export type ReplicaLogs = (replica: string, offset: number) => Promise<ReplicaLog>

const PART_BYTES = 1 << 20
const EMPTY = { text: '', next: 0 }

/** The program's own output, and that of a scheduler which could not start it. */
const FILES = ['node-0.log', 'batch.log']

export const replicaLogs =
  (site: Pick<Site, 'runs'>, storage: SharedStorage): ReplicaLogs =>
  async (replica, offset) => {
    for (const name of FILES) {
      const file = join(replicaDirectory(site, replica), name)
      const found = await storage.perform('readPart', { file, offset, limit_bytes: PART_BYTES })
      if ('away' in found) return found
      // Of a log that has begun, "nothing more" is an answer.
      if (found.value && (found.value.next > 0 || name === FILES.at(-1))) return found.value
    }
    return EMPTY
  }

const LINE_CHARACTERS = 300
const REASON = /error|exception|cannot|can't|could not|failed|fatal|no such|not found|denied|refused|out of memory|invalid|killed/i
/** A line of a stack: where, not what. */
const FRAME = /^\s*(?:at |File "|\d+: |#\d+ )/
// eslint-disable-next-line no-control-regex -- colours and other control characters of a terminal
const CONTROL = /\u001B\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000B-\u001F\u007F]/g

/** The line of a log's end that says why: the last that reads like a reason, or else the last one. */
export function failureLine(text: string): string | undefined {
  const lines = text
    .replaceAll(CONTROL, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
  const line = lines.findLast((each) => REASON.test(each) && !FRAME.test(each)) ?? lines.at(-1)
  return line?.trim().slice(0, LINE_CHARACTERS)
}
