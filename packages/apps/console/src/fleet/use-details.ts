// Details of runs, fetched once: the list does not include their pace.

import type { RunView } from '@ironlaw/contracts/api'
import { useEffect, useState } from 'react'
import { call } from '../runs/api.ts'

/** Undefined until all are loaded. */
export function useDetails(ids: readonly string[] | undefined): readonly RunView[] | undefined {
  const [runs, setRuns] = useState<readonly RunView[]>()
  const wanted = ids?.join(' ')
  useEffect(() => {
    let gone = false
    const read = async (all: readonly string[]): Promise<void> => {
      const answers = await Promise.all(all.map((id) => call('getRun', { id })))
      if (!gone) setRuns(answers.flatMap((answer) => (answer.ok ? [answer.value] : [])))
    }
    if (wanted !== undefined) void read(wanted.split(' ').filter((id) => id !== ''))
    return () => {
      gone = true
    }
  }, [wanted])
  return runs
}
