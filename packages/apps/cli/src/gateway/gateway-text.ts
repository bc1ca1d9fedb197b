// Gateways in a table: which configuration each has, and why one does not have the newest.

import type { GATEWAY_LIST, GatewayView } from '@ironlaw/contracts/gateway-sync'
import type * as z from 'zod'
import { showDuration } from '../run/run-text.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

const COLOUR = { current: 'green', behind: 'yellow', rejected: 'red', silent: 'red' } as const satisfies Record<
  GatewayView['state'],
  string
>

export function gatewaysTable({ version, items }: z.infer<typeof GATEWAY_LIST>, now: number): string {
  return table(
    ['GATEWAY', 'STATE', 'VERSION', 'NEWEST', 'HEARD', 'WHY'],
    items.map((each) => [
      each.id,
      paint(COLOUR[each.state], each.state),
      String(each.version),
      String(version),
      `${showDuration(now - each.seen_at)} ago`,
      gatewayProblem(each),
    ]),
    [2, 3, 4],
  )
}

function gatewayProblem({ rejected, kept }: GatewayView): string {
  return [
    ...(rejected ? [`version ${rejected.version} was rejected: ${rejected.reason}`] : []),
    ...(kept === false ? ['no copy on disk: a restart without the control plane would begin with an older one'] : []),
  ].join('; ')
}
