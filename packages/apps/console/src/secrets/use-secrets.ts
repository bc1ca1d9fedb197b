// The secrets of some projects, as one list: names and versions, never values.

import type { SecretView } from '@ironlaw/contracts/secrets'
import { useEffect, useState } from 'react'
import { type ApiResult, call } from '../runs/api.ts'

export type ProjectSecret = SecretView & { readonly project: string }

/** Or why those of one project cannot be read. */
async function fetchSecrets(projects: readonly string[]): Promise<ApiResult<readonly ProjectSecret[]>> {
  const answers = await Promise.all(projects.map(async (project) => ({ project, answer: await call('listSecrets', { project }) })))
  const secrets: ProjectSecret[] = []
  for (const { project, answer } of answers) {
    if (!answer.ok) return answer
    secrets.push(...answer.value.items.map((secret) => ({ ...secret, project })))
  }
  return { ok: true, value: secrets }
}

/** Read again after every change of the page; undefined until the first answer. */
export function useSecrets(projects: readonly string[] | undefined, changes: number): ApiResult<readonly ProjectSecret[]> | undefined {
  const [answer, setAnswer] = useState<ApiResult<readonly ProjectSecret[]>>()
  useEffect(() => {
    if (!projects) return undefined
    let isGone = false
    const read = async (): Promise<void> => {
      const next = await fetchSecrets(projects)
      if (!isGone) setAnswer(next)
    }
    void read()
    return () => {
      isGone = true
    }
  }, [JSON.stringify(projects), changes])
  return answer
}
