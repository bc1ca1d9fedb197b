// `ironlaw rollout` and `ironlaw remove`: how a new revision fares, and what people decide about it.

import { DEPLOYMENT, type DeploymentView, type RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import type { Answer } from '../answer.ts'
import { call, post, remove } from '../operate/api-client.ts'
import { context } from '../operate/context.ts'
import { rolloutText } from './deployment-text.ts'

const shown = (deployment: DeploymentView): Answer => ({ json: deployment, text: () => rolloutText(deployment, Date.now() / 1000) })

const pathOf = (name: string): string => `/v1/deployments/${encodeURIComponent(name)}`

export const rolloutStatus = async (name: string): Promise<Answer> => shown(await call(context(), pathOf(name), DEPLOYMENT))

export const rolloutOrder = async (name: string, body: RolloutOrderBody): Promise<Answer> =>
  shown(await post(context(), `${pathOf(name)}/rollout`, { body, answer: DEPLOYMENT }))

export const removeAnswer = async (name: string): Promise<Answer> => shown(await remove(context(), pathOf(name), DEPLOYMENT))
