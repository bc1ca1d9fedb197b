// The processes of a run's ranks, found by their environment.

import { readdirSync, readFileSync } from 'node:fs'

export function rankPid(run: string, rank: number): number {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const environment = environmentOf(entry)
    if (environment.includes(`IRONLAW_RUN=${run}`) && environment.includes(`RANK=${rank}`)) return Number(entry)
  }
  throw new Error(`rank ${rank} of ${run} has no process`)
}

export function parentOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^PPid:\s+(\d+)$/m.exec(line)?.[1])
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
