import type { EventView } from '@ironlaw/contracts/api'
import { type AnswerOf, pathOf } from '@ironlaw/contracts/api-client'
import { runInterruptible } from '../interruption.ts'
import { api, watch } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'
import { findSubject, type Subject } from './find-subject.ts'
import { runInterruption, deploymentInterruption } from '../run/follow-run.ts'
import { eventLine } from '../run/run-text.ts'

export type EventFlags = { readonly follow?: true; readonly json?: true }

export async function printEvents(name: string, { follow, json }: EventFlags): Promise<void> {
  const to = context()
  const { path, page, interruption } = eventsOf(to, await findSubject(to, name))
  const print = (event: EventView): void => void process.stdout.write(`${json ? JSON.stringify(event) : eventLine(event)}\n`)
  if (follow)
    return runInterruptible(interruption, async () => {
      for await (const event of watch(to, path, new AbortController().signal)) print(event)
    })
  let cursor: string | null = ''
  while (cursor !== null) {
    const found: Page = await page(cursor)
    for (const event of found.items) print(event)
    cursor = found.next
  }
}

type Page = AnswerOf<'listRunEvents'>

/** Where the events of a run or deployment are watched, and how a page of them is read. */
function eventsOf(to: Context, subject: Subject) {
  if (subject.kind === 'run') {
    const { id } = subject.run
    const page = (cursor: string): Promise<Page> => api(to).listRunEvents({ id, query: { cursor } })
    return { path: pathOf('listRunEvents', { id }), page, interruption: runInterruption(id) }
  }
  const { id, name } = subject.deployment
  const page = (cursor: string): Promise<Page> => api(to).listDeploymentEvents({ name: id, query: { cursor } })
  return { path: pathOf('listDeploymentEvents', { name: id }), page, interruption: deploymentInterruption(name) }
}
