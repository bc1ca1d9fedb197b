// What a job leaves in its run directory for a control plane that was away: its completion record, and undelivered reports.
// Storage that does not answer differs from empty storage: what the run left is then unknown, and the run waits.

import { join } from 'node:path'
import { REPORT, type Report } from '@ironlaw/contracts/report'
import * as z from 'zod'
import { promptLooks, type PromptLooks } from '../storage/prompt-looks.ts'
import { type SharedStorage, sharedStorage, type StorageAway } from '../storage/shared-storage.ts'
import { attemptDirectory, runDirectory, type Site } from './site.ts'

export type RunStorage = {
  readonly completion: (run: string) => Promise<{ readonly step: number } | undefined | StorageAway>
  readonly spooled: (run: string, attempt: number) => Promise<readonly Report[] | StorageAway>
  /** Why an attempt that is started now would not find its storage, or could not write there. */
  readonly probe?: () => Promise<StorageAway | undefined>
}

const COMPLETION = z.object({ step: z.int() })
/** A completion record is a line. */
const COMPLETION_BYTES = 64 * 1024
/** The API takes no larger report, and an agent keeps fewer than this. */
const REPORT_BYTES = 8 << 20
const REPORTS = 4096
/** How long a successful probe is valid for the attempts that start in the same rounds. */
const PROBED_MS = 1000

export function runStorage(
  site: Pick<Site, 'runs'>,
  storage: SharedStorage = sharedStorage(() => undefined),
  looks: PromptLooks = promptLooks(),
): RunStorage {
  return {
    probe: prober(site, { storage, looks }),
    completion: (run) =>
      looks(`completion ${run}`, async () => {
        const file = join(runDirectory(site, run), 'completed.json')
        const found = await storage.perform('read', { file, limit_bytes: COMPLETION_BYTES })
        return 'away' in found ? found : parseJson(found.value, COMPLETION)
      }),
    spooled: (run, attempt) =>
      looks(`spool ${run}.${attempt}`, async () => {
        const directory = join(attemptDirectory(site, run, attempt), 'spool')
        const found = await storage.perform('readAll', { directory, files: REPORTS, limit_bytes: REPORT_BYTES })
        if ('away' in found) return found
        return found.value.map(({ text }) => parseJson(text, REPORT)).filter((report) => report !== undefined)
      }),
  }
}

type StorageAccess = { readonly storage: SharedStorage; readonly looks: PromptLooks }

function prober({ runs }: Pick<Site, 'runs'>, { storage, looks }: StorageAccess): () => Promise<StorageAway | undefined> {
  let isMarked = false
  let goodUntil = 0
  const probe = async (): Promise<StorageAway | undefined> => {
    const found = await storage.perform(isMarked ? 'probe' : 'mark', { directory: runs })
    if ('away' in found) return found
    if (found.value === false) return { away: `${runs} is not what it was: another file system, or none, is mounted there` }
    isMarked = true
    goodUntil = performance.now() + PROBED_MS
    return undefined
  }
  return async () => (performance.now() < goodUntil ? undefined : looks('probe', probe))
}

function parseJson<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | undefined {
  if (text === null) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // Half a record, or one of a program that is not ours, is no record.
    return undefined
  }
}
