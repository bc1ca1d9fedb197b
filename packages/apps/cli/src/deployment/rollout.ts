// `ironlaw rollout` and `ironlaw remove`: how a new revision is doing, and the user's decisions about it.

import type { DeploymentView, RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import type { CommandAnswer } from '../answer.ts'
import { confirm } from '../confirm.ts'
import { api } from '../api/api-client.ts'
import { runInterruptible } from '../interruption.ts'
import { context } from '../context/context.ts'
import { deploymentInterruption } from '../run/follow-run.ts'
import { readUntil } from '../api/read-until.ts'
import { rolloutText } from './deployment-text.ts'

const rolloutAnswer = (deployment: DeploymentView): CommandAnswer => ({
  json: deployment,
  text: () => rolloutText(deployment, Date.now() / 1000),
})

export const fetchRollout = async (name: string): Promise<CommandAnswer> => rolloutAnswer(await api(context()).getDeployment({ name }))

/** A rollout that waits for a decision is settled too: nothing more happens by itself. */
const isSettled = ({ state, rollout }: DeploymentView): boolean =>
  state !== 'starting' && state !== 'degraded' && rollout?.state !== 'shadow' && rollout?.state !== 'canary'

/** Prints why it is not settled yet to standard error, whenever that changes. */
export const settledRollout = (name: string): Promise<CommandAnswer> =>
  runInterruptible(deploymentInterruption(name), async () => {
    const to = context()
    let said = ''
    const show = ({ rollout, why }: DeploymentView): void => {
      const standing = rollout?.why || why
      if (standing !== said) process.stderr.write(`${standing}\n`)
      said = standing
    }
    const deployment = await readUntil({ read: () => api(to).getDeployment({ name }), show, isOver: isSettled })
    return { ...rolloutAnswer(deployment), ...(deployment.rollout?.state === 'rolled-back' && { exit: 3 as const }) }
  })

export const orderRollout = async (name: string, body: RolloutOrderBody): Promise<CommandAnswer> =>
  rolloutAnswer(await api(context()).orderRollout({ name, body }))

/** Undefined if the user did not confirm. */
export async function removeDeployment(name: string, isConfirmed: boolean): Promise<CommandAnswer | undefined> {
  const to = context()
  const { stable, replicas } = await api(to).getDeployment({ name })
  const serving = replicas.filter(({ state }) => state === 'serving').length
  const question = `remove deployment "${name}" (revision ${stable}, ${serving} replicas serve)?`
  if (!isConfirmed && !(await confirm({ question, command: 'remove' }))) return undefined
  const removed = await api(to).removeDeployment({ name })
  return {
    json: removed,
    text: () => `${name} is being removed: its replicas finish their requests; "ironlaw get ${name}" shows when it is gone`,
  }
}
