// The verbs that work on runs and deployments alike.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { ApplyFlags } from '../run/apply-train.ts'
import type { EventFlags } from './events.ts'
import type { GetFlags } from './get.ts'
import type { LogFlags } from './logs.ts'

type Flags = { readonly json?: true }

export function applyCommand(): Command {
  return withContext(withJson(createCommand('apply')))
    .description(
      'plan a spec, show the price, ask, and run it: a training run, or a model to be served; make a dataset (kind Data); run any program (kind Job), or try it with several arguments (kind Sweep); grant clients access to the gateways; or describe the teams and their projects',
    )
    .argument(
      '<file>',
      'a training spec with a "run" block, a serving spec with a "deploy" block, or one of kind Data, Job, Sweep, Access or Teams',
    )
    .option('-y, --yes', 'do not ask for confirmation')
    .option('-d, --detach', 'do not follow it')
    .option('--dry-run', 'only show what would be created or changed')
    .option('--from <run[@step]>', 'start a training run from a checkpoint of another run, the newest unless a step is given')
    .option('--plan <file>', 'of a data spec: what "ironlaw data plan --json" printed, which the ledger compares the run with')
    .option('--accept-inexact', 'start even if the framework or engine cannot follow the plan exactly')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples(
        'ironlaw apply train.yaml',
        'ironlaw apply train.yaml -y --detach',
        'ironlaw apply train.yaml --from tiny-llama@4000',
        'ironlaw apply data.yaml',
        'ironlaw apply job.yaml',
        'ironlaw apply sweep.yaml',
        'ironlaw apply serve.yaml',
        'ironlaw apply serve.yaml --dry-run',
        'ironlaw apply access.yaml -y',
        'ironlaw apply teams.yaml',
      ),
    )
    .action(async (file: string, flags: ApplyFlags) => {
      const { evaluateRefusal, releaseRefusal, rlRefusal, specKind } = await import('../plan/spec-kind.ts')
      const kind = specKind(file)
      if (kind === 'RL') throw rlRefusal(file)
      if (kind === 'Evaluate') throw evaluateRefusal(file)
      if (kind === 'Release') throw releaseRefusal(file)
      if (kind === 'Access') await (await import('../access/apply-access.ts')).applyAccess(file, flags)
      else if (kind === 'Teams') await (await import('../access/apply-teams.ts')).applyTeams(file, flags)
      else if (kind === 'Data') await (await import('../run/apply-data.ts')).applyData(file, flags)
      else if (kind === 'Sweep') await (await import('../sweep/apply-sweep.ts')).applySweep(file, flags)
      else if (kind === 'Job') await (await import('../run/apply-job.ts')).applyJob(file, flags)
      else if (kind === 'Serve') await (await import('../deployment/apply-serve.ts')).applyServe(file, flags)
      else await (await import('../run/apply-train.ts')).applyTrain(file, flags)
    })
}

export function getCommand(): Command {
  return withContext(withJson(createCommand('get')))
    .description('list deployments and runs, newest first: state, progress, pace compared with the prediction, and why a run waits')
    .argument(
      '[run]',
      'a run, or the runs of that name; "gateways": which configuration each has applied; "access", "teams": the document in force; "nodes": their slots and accelerators; "artifacts", "models": those of a project; "releases": how rollouts of judged versions ended',
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
        'ironlaw get artifacts --project search',
        'ironlaw get models --state released',
        'ironlaw get releases',
        'ironlaw get access > access.yaml',
        'ironlaw get teams > teams.yaml',
      ),
    )
    .action(async (name: string | undefined, flags: Flags & GetFlags) => {
      const { getAnswer } = await import('./get.ts')
      printAnswer(await getAnswer(name, flags), flags.json === true)
    })
}

export function describeCommand(): Command {
  return withContext(withJson(createCommand('describe')))
    .description(
      'show one run or deployment in full: attempts or replicas, why each ended, latest events; or what is known of a version of a model',
    )
    .argument(
      '<name>',
      'a run, by id or name, or a deployment; "run/NAME" or "deployment/NAME" where both have the name; "model/NAME" for a version of a model',
    )
    .option('--project <name>', 'of a model', 'default')
    .addHelpText('after', examples('ironlaw describe tiny-llama', 'ironlaw describe chat', 'ironlaw describe model/tiny@2'))
    .action(async (name: string, flags: Flags & { readonly project: string }) => {
      const [, model] = /^model\/(.+)$/s.exec(name) ?? []
      const answer =
        model === undefined
          ? (await import('./describe.ts')).describeAnswer(name)
          : (await import('../registry/models.ts')).describeModel(model, flags.project)
      printAnswer(await answer, flags.json === true)
    })
}

export function logsCommand(): Command {
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

export function eventsCommand(): Command {
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

export function topCommand(): Command {
  return withContext(withJson(createCommand('top')))
    .description('deployments, live runs and nodes, refreshed every second')
    .addHelpText('after', examples('ironlaw top', 'ironlaw top --json'))
    .action(async (flags: Flags) => {
      const { showTop, topAnswer } = await import('./top.ts')
      if (flags.json || !process.stdout.isTTY) printAnswer(await topAnswer(), flags.json === true)
      else await showTop()
    })
}
