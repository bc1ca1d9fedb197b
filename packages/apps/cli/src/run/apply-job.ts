// `ironlaw apply` for a job: show its resources, confirm, and run it. Nothing is planned, so nothing is predicted.

import { dirname, relative, resolve } from 'node:path'
import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, planId, quantityOf } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import { type JobSpec, parseJobSpec } from '@ironlaw/contracts/job-spec'
import type { JobPlan } from '@ironlaw/contracts/run-plan'
import { requestedDevices } from '@ironlaw/planner'
import { catalogFor } from '../catalog/catalog-source.ts'
import { confirm } from '../confirm.ts'
import { readDocument } from '../input-file.ts'
import { paint } from '../paint.ts'
import type { ApplyFlags } from './apply-train.ts'
import { context } from '../context/context.ts'
import { startRun } from './start-run.ts'
import { withOrigin } from './with-origin.ts'

export async function applyJob(file: string, flags: ApplyFlags): Promise<void> {
  if (flags.from !== undefined)
    throw new IronlawError('IL_USAGE', { problem: '--from starts a training run from a checkpoint; a job has none', command: 'apply' })
  const made = jobRunBody(catalogFor(flags.with), parseJobSpec(readDocument(file), file), resolve(dirname(file)))
  const { body, line } = await withOrigin(made, file)
  if (!flags.json) process.stdout.write(`${offerText(body)}\n${line}\n`)
  if (flags.dryRun) return void (flags.json && process.stdout.write(`${JSON.stringify({ creates: body })}\n`))
  if (!flags.yes && !(await confirm({ question: 'run it?', command: 'apply' }))) return
  await startRun(context(), body, flags)
}

/** The request to the control plane. `directory` is that of the spec. */
export function jobRunBody(catalog: Catalog, spec: JobSpec, directory: string): CreateRun {
  const { name, project, team } = spec
  const shape = shapeOf(catalog, spec)
  const plan: Omit<JobPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'Job',
    name,
    processes: shape.nodes * shape.processesPerNode,
    ...(spec.steps?.total !== undefined && { steps: spec.steps.total }),
  }
  return {
    name,
    project,
    ...(team !== undefined && { team }),
    plan: { ...plan, id: planId(plan) },
    program: {
      argv: [...(spec.program ?? ['/bin/sh', '-c', spec.command ?? ''])],
      directory: resolve(directory, spec.directory),
      environment: spec.environment,
      ...(spec.secrets && { secrets: spec.secrets }),
      ...(spec.steps && { stepPattern: spec.steps.pattern }),
    },
    shape,
    ...(spec.uses && { uses: spec.uses }),
  }
}

function shapeOf(catalog: Catalog, spec: JobSpec): CreateRun['shape'] {
  const { nodes, processesPerNode, accelerators, cpusPerProcess, memory, constraint, switches } = spec.resources
  const devices = accelerators && requestedDevices(catalog, { name: accelerators.kind, perNode: accelerators.perNode })
  return {
    nodes,
    processesPerNode: processesPerNode ?? accelerators?.perNode ?? 1,
    smaller: [],
    ...(devices && { devices }),
    ...(cpusPerProcess !== undefined && { cpusPerProcess }),
    ...(memory !== undefined && { memory_bytes: quantityOf(memory, 'B') }),
    ...(constraint !== undefined && { constraint }),
    ...(switches !== undefined && { switches }),
    ...(spec.spares !== undefined && { spares: spec.spares }),
    ...(spec.timeLimit !== undefined && { timeLimit_s: quantityOf(spec.timeLimit, 's') }),
    ...(spec.retries !== undefined && { retries: spec.retries }),
    ...(spec.checkpointEvery !== undefined && { checkpointEvery_s: quantityOf(spec.checkpointEvery, 's') }),
    ...(spec.checkpoints !== undefined && { checkpoints: spec.checkpoints }),
  }
}

/** What the user is about to confirm. */
function offerText({ name, program, shape }: CreateRun): string {
  const { nodes, processesPerNode, devices } = shape
  const command = program.argv[0] === '/bin/sh' && program.argv[1] === '-c' ? program.argv[2] : program.argv.join(' ')
  const each = `${processesPerNode} ${processesPerNode === 1 ? 'process' : 'processes'}`
  const equipped = devices ? ` and ${devices.perNode} x ${devices.kinds[0]}` : ''
  return [
    `${paint('bold', name)}: ${command}`,
    `  in ${relative(process.cwd(), program.directory) || '.'}, on ${nodes} ${nodes === 1 ? 'node' : 'nodes'} with ${each}${equipped}${nodes === 1 ? '' : ' each'}`,
  ].join('\n')
}
