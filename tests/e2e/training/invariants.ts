// What must hold after a run, whatever happened to it: read from storage, from Slurm's own records and from the audit trail.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Testbed } from '../../../tools/testbed/testbed.ts'
import type { Ledger } from '@ironlaw/contracts/ledger'
import type { ControlPlane } from './control-plane.ts'

type Scene = { readonly testbed: Testbed; readonly plane: ControlPlane; readonly run: string }

/** Sentences that say what is broken; none when all is well. */
export async function brokenInvariants(scene: Scene): Promise<readonly string[]> {
  return [
    ...(await doubledJobs(scene)),
    ...staleAttempts(scene),
    ...(await lostCheckpoints(scene)),
    ...(await missingSteps(scene)),
    ...(await forgedEvents(scene)),
    ...(await unaccountedTime(scene)),
  ]
}

/** One job for each allocation, in Slurm's own records, and each attempt on nodes of such allocations. */
async function doubledJobs({ testbed, plane, run }: Scene): Promise<string[]> {
  const text = execFileSync('squeue', ['--states=all', '--noheader', '--format=%k'], {
    env: { ...process.env, ...testbed.env },
    encoding: 'utf8',
  })
  const keys = text.split('\n').filter((key) => key.startsWith(`${run}.`))
  const used = (await plane.attempts(run)).flatMap(({ allocations = [] }) => allocations)
  return [...new Set(used)].flatMap((number) => {
    const count = keys.filter((key) => key === `${run}.alloc-${number}`).length
    return count === 1 ? [] : [`allocation ${number} has ${count} jobs in Slurm`]
  })
}

/** Only the last attempt may still commit, and no manifest is of another attempt than its directory. */
function staleAttempts({ plane, run }: Scene): string[] {
  const attempts = join(plane.runs, run, 'attempts')
  const names = readdirSync(attempts).toSorted()
  return names.flatMap((name) => {
    const open = existsSync(join(attempts, name, 'open'))
    const manifests = ['open', 'sealed'].flatMap((state) => {
      const folder = join(attempts, name, state)
      return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []
    })
    const foreign = manifests.filter((file) => JSON.parse(readFileSync(file, 'utf8')).attempt !== Number(name))
    return [
      ...(open && name !== names.at(-1) ? [`attempt ${name} can still commit`] : []),
      ...foreign.map((file) => `${file} was written by another attempt`),
    ]
  })
}

/** Every attempt goes on from the newest checkpoint that was committed and is whole. */
async function lostCheckpoints({ plane, run }: Scene): Promise<string[]> {
  const rows = await plane.checkpoints(run)
  const corrupt = new Set(rows.filter(({ state }) => state === 'corrupt').map(({ step, attempt }) => `${attempt}/${step}`))
  return rows
    .filter(({ state }) => state === 'restored')
    .flatMap(({ step, reported_in }) => {
      const newest = Math.max(
        0,
        ...rows
          .filter((row) => row.state === 'committed' && row.reported_in < reported_in && !corrupt.has(`${row.attempt}/${row.step}`))
          .map((row) => row.step),
      )
      return step >= newest ? [] : [`attempt ${reported_in} went back to step ${step}, ${newest} was committed`]
    })
}

/** Every step was reported, also those made while the control plane was away. */
async function missingSteps({ plane, run }: Scene): Promise<string[]> {
  const steps = new Set((await plane.steps(run)).map(({ step }) => step))
  const last = Math.max(0, ...steps)
  const missing = Array.from({ length: last }, (_, index) => index + 1).filter((step) => !steps.has(step))
  return missing.length === 0 ? [] : [`${missing.length} steps were never reported, first ${missing[0]}`]
}

/** The ledger's causes add up to the time of all accelerators, and every attempt that was given up has its recovery. */
async function unaccountedTime({ plane, run }: Scene): Promise<string[]> {
  const { causes, wall_s, accelerators, recoveries } = await plane.ask<Ledger>(`/v1/runs/${run}/ledger`)
  const booked = causes.reduce((sum, { accelerator_s }) => sum + accelerator_s, 0)
  const whole = wall_s * accelerators
  const attempts = await plane.attempts(run)
  return [
    ...(Math.abs(booked - whole) <= 0.01 * whole ? [] : [`the ledger books ${booked} of ${whole} accelerator-seconds`]),
    ...(recoveries.length === attempts.length - 1 ? [] : [`${recoveries.length} recoveries in the ledger of ${attempts.length} attempts`]),
  ]
}

async function forgedEvents({ plane }: Scene): Promise<string[]> {
  return (await plane.audit()).filter(({ intact }) => !intact).map(({ stream }) => `the audit trail of ${stream} is not intact`)
}
