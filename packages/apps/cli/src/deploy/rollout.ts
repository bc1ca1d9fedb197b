// `ironlaw rollout` and `ironlaw remove`: how a new revision fares, and what people decide about it.

import { DEPLOYMENT, type DeploymentView, type RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import type { Answer } from '../answer.ts'
import { confirm } from '../confirm.ts'
import { call, post, remove } from '../operate/api-client.ts'
import { context } from '../operate/context.ts'
import { rolloutText } from './deployment-text.ts'

const shown = (deployment: DeploymentView): Answer => ({ json: deployment, text: () => rolloutText(deployment, Date.now() / 1000) })

const pathOf = (name: string): string => `/v1/deployments/${encodeURIComponent(name)}`

export const rolloutStatus = async (name: string): Promise<Answer> => shown(await call(context(), pathOf(name), DEPLOYMENT))

export const rolloutOrder = async (name: string, body: RolloutOrderBody): Promise<Answer> =>
  shown(await post(context(), `${pathOf(name)}/rollout`, { body, answer: DEPLOYMENT }))

/** Nothing where it was not confirmed. */
export async function removeAnswer(name: string, isConfirmed: boolean): Promise<Answer | undefined> {
  const to = context()
  const { stable, replicas } = await call(to, pathOf(name), DEPLOYMENT)
  const serving = replicas.filter(({ state }) => state === 'serving').length
  const question = `remove deployment "${name}" (revision ${stable}, ${serving} replicas serve)?`
  if (!isConfirmed && !(await confirm({ question, command: 'remove' }))) return undefined
  const removed = await remove(to, pathOf(name), DEPLOYMENT)
  return {
    json: removed,
    text: () => `${name} is being removed: its replicas finish what they have; "ironlaw get ${name}" shows when it is gone`,
  }
}
