import { OPERATIONS } from '@ironlaw/contracts/operations'
import { actorOf } from '../http/authentication.ts'
import { requireRoleInPath } from '../http/authorization.ts'
import { route } from '../http/operation.ts'
import type { Api, ApiPorts } from '../http/ports.ts'

export function addSecretRoutes(app: Api, { secrets, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listSecrets),
    handler: async (request) => {
      const { project } = request.params
      requireRoleInPath(request, 'operator', project)
      return { items: [...(await secrets.list(project))], next: null }
    },
  })
  app.route({
    ...route(OPERATIONS.setSecret),
    handler: (request) => {
      requireRoleInPath(request, 'operator', request.params.project)
      return secrets.set({ ...request.params, ...request.body }, { actor: actorOf(request), at: now() })
    },
  })
  app.route({
    ...route(OPERATIONS.deleteSecret),
    handler: async (request, reply) => {
      requireRoleInPath(request, 'operator', request.params.project)
      await secrets.remove(request.params, { actor: actorOf(request), at: now() })
      return reply.code(204).send(null)
    },
  })
  app.route({
    ...route(OPERATIONS.rotateSecretsKey),
    handler: (request) => {
      const { rewrap_only: rewrapOnly, forget_old: forgetOld } = request.body
      return secrets.rotateKey({ rewrapOnly, forgetOld, actor: actorOf(request), at: now() })
    },
  })
}
