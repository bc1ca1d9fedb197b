import { EVENT, page } from '@ironlaw/contracts/api'
import { runInterruptible } from '../interruption.ts'
import { call, watch } from './api-client.ts'
import { context } from './context.ts'
import { findSubject } from './find-subject.ts'
import { runInterruption, deploymentInterruption } from './follow-run.ts'
import { eventLine } from './run-text.ts'

export type EventFlags = { readonly follow?: true; readonly json?: true }

export async function printEvents(name: string, { follow, json }: EventFlags): Promise<void> {
  const to = context()
  const subject = await findSubject(to, name)
  const [path, following] =
    subject.kind === 'run'
      ? [`/v1/runs/${subject.run.id}/events`, runInterruption(subject.run.id)]
      : [`/v1/deployments/${subject.deployment.id}/events`, deploymentInterruption(subject.deployment.name)]
  if (follow)
    return runInterruptible(following, async () => {
      for await (const event of watch(to, path, new AbortController().signal)) line(event)
    })
  let cursor: string | null = ''
  while (cursor !== null) {
    const found: { readonly items: readonly Parameters<typeof eventLine>[0][]; readonly next: string | null } = await call(
      to,
      `${path}?cursor=${encodeURIComponent(cursor)}`,
      page(EVENT),
    )
    for (const event of found.items) line(event)
    cursor = found.next
  }

  function line(event: Parameters<typeof eventLine>[0]): void {
    process.stdout.write(`${json ? JSON.stringify(event) : eventLine(event)}\n`)
  }
}
