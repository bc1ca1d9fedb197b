// Runs and nodes on one screen, refreshed every second; printed once if the output is not a terminal.

import { setTimeout as pause } from 'node:timers/promises'
import type { CommandAnswer } from '../answer.ts'
import { deploymentsTable } from '../deployment/deployment-text.ts'
import { table } from '../table.ts'
import { api } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'
import { devicesInUse } from './node-text.ts'
import { runsTable } from '../run/run-text.ts'

const RENEW_MS = 1000

export async function topAnswer(): Promise<CommandAnswer> {
  return fetchSnapshot(context())
}

export async function showTop(): Promise<void> {
  const to = context()
  for (;;) {
    const { text } = await fetchSnapshot(to)
    process.stdout.write(`\u001B[H\u001B[2J${text()}\n`)
    await pause(RENEW_MS)
  }
}

async function fetchSnapshot(to: Context): Promise<CommandAnswer> {
  const [runs, nodes, deployments] = await Promise.all([
    api(to).listRuns({ query: { live: 'true', limit: 30 } }),
    api(to).listNodes({}),
    api(to).listDeployments({}),
  ])
  const free = nodes.items.reduce((sum, node) => sum + node.free, 0)
  const slots = nodes.items.reduce((sum, node) => sum + node.slots, 0)
  const away = nodes.items.filter((node) => node.state !== 'idle' && node.state !== 'busy')
  return {
    json: { runs: runs.items, nodes: nodes.items, deployments: deployments.items },
    text: () =>
      [
        `${nodes.items.length} nodes, ${slots - free} of ${slots} slots in use${devicesInUse(nodes.items)}${away.length === 0 ? '' : `, ${away.length} away`}`,
        ...(away.length === 0
          ? []
          : [
              '',
              table(
                ['NODE', 'STATE', 'REASON'],
                away.map((node) => [node.name, node.state, node.reason ?? '']),
              ),
            ]),
        ...(deployments.items.length === 0 ? [] : ['', deploymentsTable(deployments.items, Date.now() / 1000)]),
        '',
        runs.items.length === 0 ? 'no live runs' : runsTable(runs.items, Date.now() / 1000),
      ].join('\n'),
  }
}
