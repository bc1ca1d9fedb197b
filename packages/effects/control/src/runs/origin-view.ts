// What a run was made of, as its row, its edges and the reports of its agents say.

import { hash } from 'node:crypto'
import type { RunEnvironment, RunOrigin } from '@ironlaw/contracts/run-origin'
import { type Database, environmentsOfRun, packageList, repetitionsOf, type Run, type RunEnvironmentRow } from '@ironlaw/store'
import { specOfRun } from './run-spec.ts'
import { shapeView } from './run-view.ts'

const MOST_OTHERS = 100
const MOST_REPETITIONS = 100
/** Nodes and attempts that are compared: more of them say nothing new. */
const MOST_COMPARED = 2000

export async function originView(database: Database, run: Run): Promise<RunOrigin> {
  const { shape, code, written, uses = [], from } = specOfRun(run)
  const [environment, repetitions] = await Promise.all([
    environmentView(database, run.id),
    run.recipe === null ? [] : repetitionsOf(database, { run, recipe: run.recipe, limit: MOST_REPETITIONS }),
  ])
  const { argv, directory, files = {}, environment: variables, secrets = {} } = run.program
  return {
    run: run.id,
    ...(code && { code }),
    configuration: {
      plan: run.plan_id,
      ...(written && { spec: written }),
      argv: [...argv],
      directory,
      files: fileDigests(files),
      variables: Object.keys(variables),
      secrets: { ...secrets },
      shape: shapeView(shape),
    },
    data: { uses: [...uses], ...(from && { from }) },
    ...(environment && { environment }),
    repetitions: repetitions.map(({ id }) => id),
  }
}

export const fileDigests = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hash('sha256', text)]))

async function environmentView(database: Database, run_id: string): Promise<RunEnvironment | undefined> {
  const [shown, ...rows] = await environmentsOfRun(database, run_id, MOST_COMPARED)
  if (!shown) return undefined
  const packages = shown.packages === null ? undefined : await packageList(database, shown.packages)
  return {
    ...shown.body,
    attempt: shown.attempt,
    node: shown.node,
    ...(shown.packages !== null && { packages_digest: shown.packages }),
    ...(packages && { packages }),
    others: rows.flatMap((row) => othersOf(shown, row)).slice(0, MOST_OTHERS),
  }
}

function othersOf(shown: RunEnvironmentRow, { attempt, node, body, packages }: RunEnvironmentRow): RunEnvironment['others'] {
  const [a, b]: readonly Readonly<Record<string, unknown>>[] = [
    { ...shown.body, packages: shown.packages ?? undefined },
    { ...body, packages: packages ?? undefined },
  ]
  const fields = Object.keys({ ...a, ...b }).filter((field) => JSON.stringify(a?.[field]) !== JSON.stringify(b?.[field]))
  return fields.length === 0 ? [] : [{ attempt, node, fields }]
}
