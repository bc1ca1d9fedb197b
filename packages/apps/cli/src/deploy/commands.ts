// The commands around deployments.

import { ROLLOUT_ORDER, type RolloutOrder } from '@ironlaw/contracts/deployment-api'
import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withContext, withJson, withYes } from '../command.ts'
import { wholeNumber } from '../whole-number.ts'
import type { BenchFlags } from './bench-serve.ts'
import type { ChatFlags } from './chat.ts'

type Flags = { readonly json?: true }

export const deployCommands = (): readonly Command[] => [rollout(), remove(), key(), chat(), bench()]

const ORDERS: Readonly<Record<RolloutOrder, string>> = {
  pause: 'hold the new revision at its current share until you resume; it is still rolled back if it is worse',
  resume: 'resume a paused rollout',
  promote: 'promote the new revision now; it is still rolled back if it is found worse',
  rollback: 'roll back to the stable revision now',
  back: 'return to the previous revision without a canary; takes seconds while its replicas are kept warm',
}

function rollout(): Command {
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
  if (order === 'back') command.option('--to <revision>', 'which one (default: the one that served before)')
  const more = order === 'back' ? ['ironlaw rollout back chat --to 3'] : []
  return command
    .addHelpText('after', examples(`ironlaw rollout ${order} chat`, ...more))
    .action(async (name: string, { to, json }: Flags & { readonly to?: string }) => {
      const rollout = await import('./rollout.ts')
      const body = { do: order, ...(to !== undefined && { to: wholeNumber('--to', to) }) }
      printAnswer(await rollout.orderRollout(name, body), json === true)
    })
}

function remove(): Command {
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

function key(): Command {
  return withContext(withJson(createCommand('key')))
    .description('create a gateway key: the secret for the client, and the entry for access.yaml')
    .argument('<tenant>', 'whose quota and budget it uses')
    .option('--add', 'grant it access at the gateways of the control plane, create the tenant if it is new, and print only the key')
    .addHelpText('after', examples('ironlaw key search', 'export IRONLAW_KEY=$(ironlaw key me --add)'))
    .action(async (tenant: string, flags: Flags & { readonly add?: true }) => {
      const { addedKeyAnswer, keyAnswer } = await import('./key.ts')
      printAnswer(flags.add ? await addedKeyAnswer(tenant) : keyAnswer(tenant), flags.json === true)
    })
}

const withGateway = (command: Command): Command =>
  command
    .option('--gateway <url>', 'address of the gateway (default IRONLAW_GATEWAY or http://127.0.0.1:8080)')
    .option('--key <key>', 'a key of the gateway (default IRONLAW_KEY)')

function chat(): Command {
  return withGateway(createCommand('chat'))
    .description('chat with a model through a gateway, one question per line')
    .argument('<model>', 'a deployment, or any model of the gateway')
    .option('--system <text>', 'system prompt')
    .option('--max-tokens <n>', 'maximum tokens per answer')
    .addHelpText('after', examples('ironlaw chat chat', 'ironlaw chat tiny --gateway http://127.0.0.1:8080 --max-tokens 64'))
    .action(async (model: string, flags: ChatFlags) => {
      const command = await import('./chat.ts')
      await command.chat(model, flags)
    })
}

function bench(): Command {
  const command = createCommand('bench').description('measure what is running')
  command.addCommand(
    withJson(withGateway(createCommand('serve')))
      .description(
        'load-test a model through a gateway: latencies and throughput with 95 % intervals; a test that is too noisy exits with 3',
      )
      .argument('<model>', 'a deployment, or any model of the gateway')
      .option('--scenario <name>', 'single-stream, offline (closed loop) or server (open loop, Poisson)', 'server')
      .option('--rate <n>', 'requests per second (server scenario)', '1')
      .option('--concurrency <n>', 'concurrent requests (offline scenario)', '8')
      .option('--seconds <n>', 'measurement duration in seconds', '60')
      .option('--warm-up <n>', 'seconds of load before the measurement', '10')
      .option('--input <tokens>', 'approximate prompt length in tokens (default 256, or what the context of the model takes)')
      .option('--output <tokens>', 'answer length in tokens (default 64, or what the context of the model takes)')
      .option(
        '--trace <file>',
        'send the requests of a trace at its times instead: Azure, Mooncake, BurstGPT, or the log of our gateway; .gz too',
      )
      .option('--speed <n>', 'replay the trace N times as fast', '1')
      .option('--engine <name>', 'compare with the simulator: the engine as "ironlaw calibrate engine" measured it')
      .option('--replicas <n>', 'with --engine: how many serve the model (default: 1)')
      .option('--router <name>', 'with --engine: how the gateway chooses among them (default: kv-aware, as the gateway)')
      .option('--one-machine', 'with --engine: they share the cores of one machine')
      .option('--feedback', 'with --engine: correct it by what was measured, as a new version')
      .addHelpText(
        'after',
        examples(
          'ironlaw bench serve chat --rate 5 --seconds 120',
          'ironlaw bench serve chat --scenario offline --json',
          'ironlaw bench serve chat --trace requests.jsonl --speed 10',
          'ironlaw bench serve chat --rate 5 --engine tiny --replicas 2 --feedback',
        ),
      )
      .action(async (model: string, flags: Flags & BenchFlags) => {
        const { benchServe } = await import('./bench-serve.ts')
        printAnswer(await benchServe(model, flags), flags.json === true)
      }),
  )
  return command
}
