// What a process of a run knows of itself, from the environment that the agent gives it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { ARTIFACT_TYPES } from '@ironlaw/contracts/artifact'
import * as z from 'zod'
import { authorityFromEnvironment } from '../context/authority.ts'
import type { Context } from '../context/context.ts'

const USED = z.array(z.object({ name: z.string(), id: z.string(), type: z.enum(ARTIFACT_TYPES) }))

const number = z.string().regex(/^\d+$/).transform(Number)

const ENVIRONMENT = z.object({
  IRONLAW_RUN: z.string().min(1),
  IRONLAW_RUN_DIR: z.string().min(1),
  IRONLAW_API: z.string().min(1),
  IRONLAW_ARTIFACT_STORAGE: z.string().min(1),
  IRONLAW_ARTIFACTS: z
    .string()
    .default('[]')
    .transform((text) => USED.parse(JSON.parse(text))),
  RANK: number.default(0),
  WORLD_SIZE: number.default(1),
})

export type Rank = {
  readonly run: string
  /** Of the run, in storage that all its nodes share. */
  readonly directory: string
  readonly rank: number
  readonly world: number
  /** Where artifacts are stored. */
  readonly storage: string
  readonly uses: readonly { readonly name: string; readonly id: string }[]
  /** The control plane, with the token of the run. Read each time, since it may have been replaced. */
  readonly context: () => Context
}

export function rankFromEnvironment(environment: Readonly<Record<string, string | undefined>>): Rank {
  const { data, error } = ENVIRONMENT.safeParse(environment)
  if (error)
    throw new IronlawError(
      'IL_USAGE',
      { problem: `${error.issues[0]?.path.join('.') ?? 'its environment'} is not set: a run starts this command`, command: 'data work' },
      { next: 'run the spec with "ironlaw apply SPEC", or on this machine with "ironlaw data build SPEC"' },
    )
  const directory = data.IRONLAW_RUN_DIR
  return {
    run: data.IRONLAW_RUN,
    directory,
    rank: data.RANK,
    world: data.WORLD_SIZE,
    storage: data.IRONLAW_ARTIFACT_STORAGE,
    uses: data.IRONLAW_ARTIFACTS,
    context: () => ({ api: data.IRONLAW_API, token: tokenIn(directory), ...authorityFromEnvironment() }),
  }
}

function tokenIn(directory: string): string {
  try {
    return readFileSync(join(directory, 'token'), 'utf8').trim()
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
}
