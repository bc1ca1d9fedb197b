// The commands that talk to a control plane, and the one that starts it.

import { SERVER_FLAGS } from '@ironlaw/contracts/programs'
import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withContext, withJson, withYes } from '../command.ts'
import { type ProgramFlags, withFlags } from '../serve/program-flags.ts'
import type { ApplyFlags } from './apply-train.ts'
import { contextCommand } from './context-command.ts'
import type { EventFlags } from './events.ts'
import type { GetFlags } from './get.ts'
import type { LedgerFlags } from './ledger.ts'
import type { LogFlags } from './logs.ts'

type Flags = { readonly json?: true }

export const operateCommands = (): readonly Command[] => [
  up(),
  apply(),
  get(),
  describe(),
  logs(),
  events(),
  ledger(),
  top(),
  cancel(),
  resume(),
  token(),
  contextCommand(),
  consoleCommand(),
]

function up(): Command {
  return withFlags(createCommand('up'), SERVER_FLAGS)
    .description('start a control plane on this machine, with an embedded database unless one is given')
    .addHelpText('after', examples('ironlaw up', 'ironlaw up --executor slurm --database postgres://localhost/ironlaw'))
    .action(async (flags: ProgramFlags) => {
      const start = await import('./up.ts')
      await start.startControlPlane(flags)
    })
}

function apply(): Command {
  return withContext(withJson(createCommand('apply')))
    .description(
      'plan a spec, show the price, ask, and run it: a training run, or a model to be served; run any program (kind Job); or grant clients access to the gateways',
    )
    .argument('<file>', 'a training spec with a "run" block, a serving spec with a "deploy" block, or one of kind Job or Access')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('-d, --detach', 'do not follow it')
    .option('--dry-run', 'only show what would be created or changed')
    .option('--from <run[@step]>', 'start a training run from a checkpoint of another run, the newest unless a step is given')
    .option('--accept-inexact', 'start even if the framework or engine cannot follow the plan exactly')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw apply train.yaml',
        'ironlaw apply train.yaml -y --detach',
        'ironlaw apply train.yaml --from tiny-llama@4000',
        'ironlaw apply job.yaml',
        'ironlaw apply serve.yaml',
        'ironlaw apply serve.yaml --dry-run',
        'ironlaw apply access.yaml -y',
      ),
    )
    .action(async (file: string, flags: ApplyFlags) => {
      const { specKind } = await import('../spec-kind.ts')
      const kind = specKind(file)
      if (kind === 'Access') await (await import('../deploy/apply-access.ts')).applyAccess(file, flags)
      else if (kind === 'Job') await (await import('./apply-job.ts')).applyJob(file, flags)
      else if (kind === 'Serve') await (await import('../deploy/apply-serve.ts')).applyServe(file, flags)
      else await (await import('./apply-train.ts')).applyTrain(file, flags)
    })
}

function get(): Command {
  return withContext(withJson(createCommand('get')))
    .description('list deployments and runs, newest first: state, progress, pace compared with the prediction, and why a run waits')
    .argument(
      '[run]',
      'a run, or the runs of that name; "gateways": which configuration each has applied; "access": the access document in force; "nodes": their slots and accelerators',
    )
    .option('--state <state>', 'only those in a state')
    .option('--project <name>', 'only those of a project')
    .option('--limit <n>', 'how many', '20')
    .addHelpText(
      'after',
      examples(
        'ironlaw get',
        'ironlaw get --state running --json',
        'ironlaw get gateways',
        'ironlaw get nodes',
        'ironlaw get access > access.yaml',
      ),
    )
    .action(async (name: string | undefined, flags: Flags & GetFlags) => {
      const { getAnswer } = await import('./get.ts')
      printAnswer(await getAnswer(name, flags), flags.json === true)
    })
}

function describe(): Command {
  return withContext(withJson(createCommand('describe')))
    .description('show one run or deployment in full: attempts or replicas, why each ended, latest events')
    .argument('<name>', 'a run, by id or name, or a deployment; "run/NAME" or "deployment/NAME" where both have the name')
    .addHelpText('after', examples('ironlaw describe tiny-llama', 'ironlaw describe chat'))
    .action(async (name: string, flags: Flags) => {
      const { describeAnswer } = await import('./describe.ts')
      printAnswer(await describeAnswer(name), flags.json === true)
    })
}

function logs(): Command {
  return withContext(createCommand('logs'))
    .description('print the log of a rank of a run, or of the engine of a replica')
    .argument('<name>', 'a run, by id or name, or a deployment')
    .option('--rank <n>', 'of a run: which rank', '0')
    .option('--attempt <n>', 'of a run: which attempt (default: the current one)')
    .option('--replica <n>', 'of a deployment: which replica, also one that is gone (default: the newest)')
    .option('-f, --follow', 'keep printing until it ends')
    .addHelpText(
      'after',
      examples('ironlaw logs tiny-llama -f', 'ironlaw logs tiny-llama --attempt 1 --rank 3', 'ironlaw logs chat --replica 3'),
    )
    .action(async (name: string, flags: LogFlags) => {
      const { printLogs } = await import('./logs.ts')
      await printLogs(name, flags)
    })
}

function events(): Command {
  return withContext(withJson(createCommand('events')))
    .description('everything that happened to a run or a deployment, from the audit trail')
    .argument('<name>', 'a run, by id or name, or a deployment')
    .option('-f, --follow', 'keep printing events as they happen')
    .addHelpText('after', examples('ironlaw events tiny-llama', 'ironlaw events chat', 'ironlaw events tiny-llama -f --json'))
    .action(async (name: string, flags: EventFlags) => {
      const { printEvents } = await import('./events.ts')
      await printEvents(name, flags)
    })
}

function ledger(): Command {
  return withContext(withJson(createCommand('ledger')))
    .description('where the time of a run went, by cause, compared with its plan; the largest gap and what would close it')
    .argument('[run]', 'a run, by id or name')
    .option('--fleet', 'for all finished runs instead of one')
    .option('--since <time>', 'with --fleet: how far back, in whole days', '7d')
    .option('--by <what>', 'with --fleet: cause, project or team', 'cause')
    .addHelpText('after', examples('ironlaw ledger tiny-llama', 'ironlaw ledger --fleet --since 30d --by team'))
    .action(async (name: string | undefined, flags: Flags & LedgerFlags) => {
      const { ledgerAnswer } = await import('./ledger.ts')
      printAnswer(await ledgerAnswer(name, flags), flags.json === true)
    })
}

function top(): Command {
  return withContext(withJson(createCommand('top')))
    .description('deployments, live runs and nodes, refreshed every second')
    .addHelpText('after', examples('ironlaw top', 'ironlaw top --json'))
    .action(async (flags: Flags) => {
      const { showTop, topAnswer } = await import('./top.ts')
      if (flags.json || !process.stdout.isTTY) printAnswer(await topAnswer(), flags.json === true)
      else await showTop()
    })
}

function cancel(): Command {
  return withContext(withYes(withJson(createCommand('cancel'))))
    .description('stop a run; it is cancelled once its executor confirms that nothing is running')
    .argument('<run>', 'a run, by id or name')
    .addHelpText('after', examples('ironlaw cancel tiny-llama'))
    .action(async (name: string, flags: Flags) => {
      const { cancelRun } = await import('./cancel.ts')
      printAnswer(await cancelRun(name), flags.json === true)
    })
}

function resume(): Command {
  return withContext(withJson(createCommand('resume')))
    .description('resume a failed or cancelled run from its newest checkpoint; earlier failures no longer count')
    .argument('<run>', 'a run, by id or name')
    .addHelpText('after', examples('ironlaw resume tiny-llama'))
    .action(async (name: string, flags: Flags) => {
      const { resumeRun } = await import('./resume.ts')
      printAnswer(await resumeRun(name), flags.json === true)
    })
}

function consoleCommand(): Command {
  return withContext(withJson(createCommand('console')))
    .description('print a link that opens the console logged in: once, and within five minutes')
    .addHelpText('after', examples('ironlaw console'))
    .action(async (flags: Flags) => {
      const { createConsoleLink } = await import('./console.ts')
      printAnswer(await createConsoleLink(), flags.json === true)
    })
}

function token(): Command {
  const command = createCommand('token').description('manage access to the control plane: tokens, each with a role')
  command.addCommand(
    withContext(withJson(createCommand('create')))
      .description('create a token; the secret is shown only once')
      .argument('<name>', 'who will use it')
      .option('--role <role>', 'viewer, operator, admin, or gateway (can only report usage and fetch its configuration)', 'viewer')
      .addHelpText('after', examples('ironlaw token create ada --role operator', 'ironlaw token create gateway-1 --role gateway'))
      .action(async (name: string, flags: Flags & { readonly role: string }) => {
        const { createToken } = await import('./tokens.ts')
        printAnswer(await createToken(name, flags.role), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('list')))
      .description('list all tokens, without their secrets')
      .addHelpText('after', examples('ironlaw token list'))
      .action(async (flags: Flags) => {
        const { listTokens } = await import('./tokens.ts')
        printAnswer(await listTokens(), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('revoke')))
      .description('revoke a token')
      .argument('<id>', 'id of the token, as shown by "ironlaw token list"')
      .addHelpText('after', examples('ironlaw token revoke ada-x7k2m9pq4r'))
      .action(async (id: string, flags: Flags) => {
        const { revokeToken } = await import('./tokens.ts')
        printAnswer(await revokeToken(id), flags.json === true)
      }),
  )
  return command
}
