// What a run was made of, its origin: the code of its program, which the command line finds when it requests the run, and the environment,
// which agents find on the nodes when an attempt starts. Values of environment variables are in neither. A separate entry point, as everything
// that loads zod.

import * as z from 'zod'
import { ARTIFACT_TYPES } from './artifact.ts'
import { SHAPE } from './run-shape.ts'

const line = (most: number) =>
  z.string().regex(new RegExp(String.raw`^[^\p{Cc}\p{Cs}]{1,${most}}$`, 'u'), `one line, at most ${most} characters`)
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
const gitObject = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'expected the name of an object of git')

/** More are counted and not listed. */
export const MOST_CHANGED_FILES = 200

const CHANGED_FILE = z.strictObject({
  path: line(1024).describe('From the top of the repository'),
  blob: gitObject
    .exactOptional()
    .describe('Of its content, as git names it; absent for a file that git does not track or that was removed'),
})

export const RUN_CODE = z
  .strictObject({
    commit: gitObject,
    path: z
      .string()
      .max(1024)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'no control characters')
      .describe('Directory of the program, from the top of the repository; empty at the top'),
    remote: line(1024)
      .refine((remote) => !/^[^/]*@|\/\/[^/]*@/.test(remote), 'must not contain credentials')
      .exactOptional()
      .describe('Where the repository is fetched from, without credentials'),
    changes: z
      .strictObject({
        digest: digest.describe('Of the paths and contents of all of them'),
        count: z.int().positive(),
        files: z.array(CHANGED_FILE).max(MOST_CHANGED_FILES),
      })
      .exactOptional()
      .describe('Files that differ from the commit, with those that git neither tracks nor ignores; absent where there are none'),
  })
  .meta({ id: 'RunCode', description: 'The repository that holds the directory of the program, when the run was requested' })

export type RunCode = z.output<typeof RUN_CODE>

const MOST_PACKAGES = 5000

/** Versions by name, names as Python's packaging normalises them. */
export const PACKAGES = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,127}$/), line(200))
  .refine((packages) => Object.keys(packages).length <= MOST_PACKAGES, `at most ${MOST_PACKAGES} packages`)

export type Packages = z.output<typeof PACKAGES>

/** Of one node, as its agent finds it. Unknown fields of newer agents are ignored, and what cannot be found is absent. */
export const NODE_ENVIRONMENT = z.object({
  image: z
    .string()
    .regex(/^[\w][\w./:-]{0,250}@sha256:[0-9a-f]{64}$/)
    .exactOptional()
    .describe('Container image, as the variable IRONLAW_IMAGE of the node names it'),
  python: line(60).exactOptional().describe('Implementation and version of the interpreter that the program runs under'),
  torch: line(120).exactOptional().describe('Version of PyTorch, with those of its libraries'),
  system: line(120).exactOptional(),
  kernel: line(120).exactOptional(),
  processor: line(120).exactOptional(),
  accelerators: z.array(line(120)).max(64).exactOptional().describe('Kind of each'),
  driver: line(120).exactOptional().describe('Of the accelerators'),
})

export type NodeEnvironment = z.output<typeof NODE_ENVIRONMENT>

/** The detail of a note of kind `environment`. One node of an attempt sends the packages, the others the digest that they have. */
export const REPORTED_ENVIRONMENT = NODE_ENVIRONMENT.extend({ packages: PACKAGES.exactOptional(), packages_digest: digest.exactOptional() })

export const ENVIRONMENT_NOTE = 'environment'

/** Of the last attempt that reported one. */
export const RUN_ENVIRONMENT = NODE_ENVIRONMENT.extend({
  attempt: z.int(),
  node: z.string(),
  packages_digest: digest.exactOptional().describe('Of names and versions of all packages of the interpreter'),
  packages: PACKAGES.exactOptional(),
  others: z
    .array(z.object({ attempt: z.int(), node: z.string(), fields: z.array(z.string()) }))
    .describe('Nodes and attempts whose environment differs from this one, with the fields that differ; at most 100'),
}).meta({ id: 'RunEnvironment' })

export type RunEnvironment = z.output<typeof RUN_ENVIRONMENT>

/** Of a spec as it goes with a run: a file of a run has as many. */
const MOST_SPEC_CHARACTERS = 64 * 1024

type SpecValue = z.core.util.JSONType

/** Values of environment variables are not recorded: in their place stand the names. */
export function withoutValues(spec: { readonly [field: string]: SpecValue }): { [field: string]: SpecValue } {
  const walk = (value: SpecValue): SpecValue => {
    if (Array.isArray(value)) return value.map(walk)
    return typeof value === 'object' && value !== null ? withoutValues(value) : value
  }
  return Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [field, field === 'environment' && isRecord(value) ? Object.keys(value) : walk(value)]),
  )
}

const isRecord = (value: SpecValue): value is { [field: string]: SpecValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const RECORDED_SPEC = z
  .record(z.string().max(200), z.json())
  .refine((spec) => JSON.stringify(spec).length <= MOST_SPEC_CHARACTERS, `more than ${MOST_SPEC_CHARACTERS} characters as JSON`)
  .describe('The spec that it was made from, as it was written; of environment variables only the names')

export const RUN_ORIGIN = z
  .object({
    run: z.string(),
    code: RUN_CODE.exactOptional(),
    configuration: z.object({
      plan: z.string(),
      spec: RECORDED_SPEC.exactOptional(),
      argv: z.array(z.string()),
      directory: z.string(),
      files: z.record(z.string(), z.string()).describe('SHA-256 of the files that went with the program'),
      variables: z.array(z.string()).describe('Names of added environment variables'),
      secrets: z.record(z.string(), z.string()).describe('Names of secrets by the variables that stand for them'),
      shape: SHAPE,
    }),
    data: z.object({
      uses: z.array(z.object({ name: z.string(), id: z.string(), type: z.enum(ARTIFACT_TYPES) })),
      from: z.object({ run: z.string(), step: z.int() }).exactOptional().describe('The checkpoint of another run that it began with'),
    }),
    environment: RUN_ENVIRONMENT.exactOptional(),
    repetitions: z
      .array(z.string())
      .describe('Other runs of the same code, data and configuration but for the seed; newest first, at most 100'),
  })
  .meta({ id: 'RunOrigin' })

export type RunOrigin = z.output<typeof RUN_ORIGIN>
