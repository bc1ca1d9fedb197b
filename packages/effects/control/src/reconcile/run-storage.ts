// What a job leaves in its run directory for a control plane that was away: its completion record, and reports that nobody took.
// Where the storage is not to be seen from here there is nothing, and the next attempt finds out by itself.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPORT, type Report } from '@ironlaw/contracts/report'
import * as z from 'zod'
import { attemptDirectory, runDirectory, type Site } from './site.ts'

export type RunStorage = {
  readonly completion: (run: string) => Promise<{ readonly step: number } | undefined>
  readonly spooled: (run: string, attempt: number) => Promise<readonly Report[]>
}

const COMPLETION = z.object({ step: z.int() })
const REPORT_FILE = /^node-\d+\/\d+\.json$/

export function runStorage(site: Pick<Site, 'runs'>): RunStorage {
  return {
    completion: async (run) => {
      const record = await parsed(join(runDirectory(site, run), 'completed.json'), COMPLETION)
      return record
    },
    spooled: async (run, attempt) => {
      const spool = join(attemptDirectory(site, run, attempt), 'spool')
      const files = (await listed(spool)).filter((name) => REPORT_FILE.test(name)).toSorted()
      const reports = await Promise.all(files.map((name) => parsed(join(spool, name), REPORT)))
      return reports.filter((report) => report !== undefined)
    },
  }
}

async function listed(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory, { recursive: true })
  } catch {
    return []
  }
}

async function parsed<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.infer<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
