// When two runs repeat each other: the same code, data and configuration, whatever the seed. What differs between such runs is noise.

import { canonicalJson, sha256 } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'

export type RecipeParts = Pick<CreateRun, 'plan' | 'program' | 'shape' | 'code' | 'from'> & {
  /** Ids of the artifacts that it uses. */
  readonly uses: readonly string[]
}

/** Undefined where the code is not known: such runs may differ in it. */
export function recipeOf({ code, plan, program, shape, from, uses }: RecipeParts): string | undefined {
  if (!code) return undefined
  const { id: _id, name: _name, ...planned } = plan
  const { nodes, processesPerNode, smaller, devices } = shape
  const parts = {
    code: { commit: code.commit, path: code.path, changes: code.changes?.digest },
    plan: planned,
    argv: argvWithoutSeeds(program.argv),
    environment: fieldsWithoutSeeds(program.environment),
    files: fieldsWithoutSeeds(program.files ?? {}),
    secrets: program.secrets ?? {},
    shape: { nodes, processesPerNode, smaller, devices },
    uses: uses.toSorted(),
    from,
  }
  return sha256(canonicalJson(parts))
}

const ANY = '*'

const isSeed = (name: string): boolean => /(?:^|[._-])seed$/i.test(name)

/** A value in a text: of an argument, or of a field of YAML, JSON or TOML. */
const SEED_IN_TEXT = /((?:^|[\s"'._{,-])seed["']?\s*[:=\s]\s*)[^\s,"'}]+/gi

const textWithoutSeeds = (text: string): string => text.replaceAll(SEED_IN_TEXT, `$1${ANY}`)

/** `--seed 1` is two words, `--seed=1` is one, and a line for the shell has both within. */
const argvWithoutSeeds = (argv: readonly string[]): readonly string[] =>
  argv.map((word, index) => (/^--?[\w.-]+$/.test(argv[index - 1] ?? '') && isSeed(argv[index - 1] ?? '') ? ANY : textWithoutSeeds(word)))

const fieldsWithoutSeeds = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isSeed(name) ? ANY : textWithoutSeeds(value)]))
