// The commands that only deployments have.

import { ROLLOUT_ORDER, type RolloutOrder, type RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import { DRILL_TIERS, type DrillTier } from '@ironlaw/contracts/way-back-drill'
import { type Command, Option } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson, withYes } from '../command.ts'
import { wholeNumber } from '../whole-number.ts'

type Flags = { readonly json?: true }

export function rolloutCommand(): Command {
  const command = createCommand('rollout').description('watch and control the rollout of a new revision')
  command.addCommand(
    withContext(withJson(createCommand('status')))
      .description('show its traffic share, every guardrail with its evidence, and the replicas')
      .argument('<deployment>', 'by name')
      .option('--wait', 'wait until the desired number of replicas serves and no rollout is in progress; exits with 3 after a rollback')
      .addHelpText('after', examples('ironlaw rollout status chat', 'ironlaw rollout status chat --wait'))
      .action(async (name: string, flags: Flags & { readonly wait?: true }) => {
        const { fetchRollout, settledRollout } = await import('./rollout.ts')
        printAnswer(await (flags.wait ? settledRollout : fetchRollout)(name), flags.json === true)
      }),
  )
  for (const order of ROLLOUT_ORDER.shape.do.options) command.addCommand(rolloutOrder(order))
  return command
}

function rolloutOrder(order: RolloutOrder): Command {
  const command = withContext(withJson(createCommand(order)))
    .description(ORDERS[order])
    .argument('<deployment>', 'by name')
  if (order === 'back')
    command
      .option('--to <version>', 'a version such as tiny@2, or the number of a revision (default: the revision that served before)')
      .option('--fresh', 'start all replicas, although some may be kept ready')
  const more = order === 'back' ? ['ironlaw rollout back chat --to tiny@2', 'ironlaw rollout back chat --to 3'] : []
  return command
    .addHelpText('after', examples(`ironlaw rollout ${order} chat`, ...more))
    .action(async (name: string, { to, fresh, json }: Flags & { readonly to?: string; readonly fresh?: true }) => {
      const rollout = await import('./rollout.ts')
      const body = { do: order, ...(to !== undefined && backTo(to)), ...(fresh && { fresh }) }
      printAnswer(await rollout.orderRollout(name, body), json === true)
    })
}

const backTo = (to: string): Pick<RolloutOrderBody, 'to' | 'version'> =>
  /^\d+$/.test(to) ? { to: wholeNumber('--to', to) } : { version: to }

const ORDERS: Readonly<Record<RolloutOrder, string>> = {
  pause: 'hold the new revision at its current share until you resume; it is still rolled back if it is worse',
  resume: 'resume a paused rollout',
  promote: 'promote the new revision now; it is still rolled back if it is found worse',
  rollback: 'roll back to the stable revision now',
  back: 'return to the previous revision without a canary; takes seconds while its replicas are kept warm',
}

export function drillCommand(): Command {
  const command = createCommand('drill').description('rehearse what must work when it is needed')
  command.addCommand(
    withContext(withYes(withJson(createCommand('rollback'))))
      .description(
        'go back to the revision that served before and forth again, and record how long each took; exits with 3 beyond the limit',
      )
      .argument('<deployment>', 'by name')
      .addOption(
        new Option('--tier <tier>', 'warm: replicas that are kept ready; registry: all start (default: warm if they are kept)').choices(
          DRILL_TIERS,
        ),
      )
      .addHelpText('after', examples('ironlaw drill rollback chat', 'ironlaw drill rollback chat --tier registry -y'))
      .action(async (name: string, flags: Flags & { readonly tier?: DrillTier; readonly yes?: true }) => {
        const { drillRollback } = await import('./drill.ts')
        const answer = await drillRollback(name, { tier: flags.tier, isConfirmed: flags.yes === true })
        if (answer) printAnswer(answer, flags.json === true)
      }),
  )
  return command
}

export function removeCommand(): Command {
  return withContext(withYes(withJson(createCommand('remove'))))
    .description('remove a deployment: replicas drain, and it disappears when the executor confirms')
    .argument('<deployment>', 'by name')
    .addHelpText('after', examples('ironlaw remove chat', 'ironlaw remove chat -y'))
    .action(async (name: string, flags: Flags & { readonly yes?: true }) => {
      const { removeDeployment } = await import('./rollout.ts')
      const answer = await removeDeployment(name, flags.yes === true)
      if (answer) printAnswer(answer, flags.json === true)
    })
}
