// The API of profiles.

import { OPERATIONS } from '@ironlaw/contracts/operations'
import { findDeployment } from '../http/authorization.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'
import { requireGatewayToken } from './gateway-identity.ts'
import { deploymentProfile } from './profile-view.ts'
import { takeProfiles } from './take-profiles.ts'

/** As the contract says of the most windows. */
const REPORT_BYTES = 4 << 20

export function addProfileRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.reportProfiles),
    // Every ten seconds from every gateway: only what goes wrong is worth a line.
    logLevel: 'warn',
    bodyLimit: REPORT_BYTES,
    handler: async ({ params: { name: gateway }, principal, body, log }, reply) => {
      await requireGatewayToken(database, principal, { gateway, at: now() })
      const { beyond } = await takeProfiles(database, { gateway, body, now: now() })
      if (beyond > 0) log.warn({ gateway, windows: beyond }, 'profiles beyond what a gateway may send were dropped')
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...route(OPERATIONS.getDeploymentProfile),
    handler: async (request) => {
      const row = await findDeployment(database, request, { name: request.params.name, role: 'viewer' })
      return deploymentProfile(database, row, { query: request.query, now: now() })
    },
  })
}
