// What is known of a version of a model, and what is not. A fact that was stated with the artifact is part of its identity, so it counts before
// what the run that made it was asked to do.

import type { Json } from '@ironlaw/contracts'
import type { Spending } from '@ironlaw/contracts/ledger'
import type { NodeEnvironment, RunCode } from '@ironlaw/contracts/run-origin'
import {
  CARD_FACTS,
  type CardFact,
  type KnownFact,
  type MissingFact,
  REQUIRED_FACTS,
  type RequiredFact,
  VERSION_FACTS,
  type VersionFact,
} from '@ironlaw/contracts/model-registry'

/** The run that made a version, as it was requested. */
export type MakingRun = {
  readonly id: string
  readonly plan: string
  readonly argv: readonly string[]
  /** Files that went with the program: the digest of each by its name. */
  readonly files: Readonly<Record<string, string>>
  readonly nodes: number
  readonly processesPerNode: number
  readonly devices?: { readonly perNode: number; readonly kinds: readonly string[] }
  /** Of the repository with its program. */
  readonly code?: RunCode
  /** Of the first node of its last attempt, with the digest of its packages. */
  readonly environment?: NodeEnvironment & { readonly packages?: string }
}

export type VersionSources = {
  /** Facts of the artifact. */
  readonly stated: Readonly<Record<string, Json | undefined>>
  readonly run?: MakingRun
  /** Datasets that the run used, by id. */
  readonly datasets: readonly string[]
  /** By the ledger of the run. */
  readonly spending?: Spending
  /** How many name it. */
  readonly evaluations?: number
}

type FactValue = KnownFact['value']

type DerivedFacts = Partial<Record<VersionFact, { readonly value: FactValue; readonly from: KnownFact['from'] }>>

/** In the order of the registry. */
export function versionFacts({ stated, run, datasets, spending = {}, evaluations = 0 }: VersionSources): readonly KnownFact[] {
  const { cost_usd, energy_j } = spending
  const derived: DerivedFacts = {
    ...(run && runFacts(run)),
    ...(datasets.length > 0 && { data: { value: [...datasets], from: 'edges' } }),
    ...(cost_usd !== undefined && { cost: { value: { cost_usd }, from: 'ledger' } }),
    ...(energy_j !== undefined && { energy: { value: { energy_j }, from: 'ledger' } }),
    ...(evaluations > 0 && { evaluations: { value: evaluations, from: 'edges' } }),
  }
  return VERSION_FACTS.flatMap((fact): KnownFact[] => {
    const value = stated[fact]
    if (isStated(value)) return [{ fact, value: value as FactValue, from: 'stated' }]
    const other = derived[fact]
    return other ? [{ fact, ...other }] : []
  })
}

function runFacts({ id, plan, argv, files, nodes, processesPerNode, devices, code, environment }: MakingRun): DerivedFacts {
  return {
    ...(code && { code: { value: codeValue(code), from: 'run' } }),
    ...(environment && isReproducible(environment) && { environment: { value: withoutAbsent(environment), from: 'run' } }),
    run: { value: id, from: 'run' },
    plan: { value: plan, from: 'run' },
    configuration: { value: { plan, argv: [...argv], ...(Object.keys(files).length > 0 && { files: { ...files } }) }, from: 'run' },
    hardware: {
      value: { nodes, processesPerNode, ...(devices && { devicesPerNode: devices.perNode, kinds: [...devices.kinds] }) },
      from: 'run',
    },
  }
}

const codeValue = ({ commit, path, remote, changes }: RunCode): FactValue => ({
  commit,
  ...(path !== '' && { path }),
  ...(remote !== undefined && { remote }),
  ...(changes && { changes: { digest: changes.digest, files: changes.count } }),
})

/** A kernel and a driver alone make no environment in which anybody could run the program again. */
const isReproducible = ({ image, packages }: NonNullable<MakingRun['environment']>): boolean => (image ?? packages) !== undefined

const withoutAbsent = (fields: Readonly<Record<string, unknown>>): FactValue =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as FactValue

/** Whether the code of a version had changes that are in no commit, by whichever source says so. */
export function hasUncommittedCode(known: readonly KnownFact[]): boolean {
  const code = known.find(({ fact }) => fact === 'code')?.value
  if (typeof code !== 'object' || code === null || Array.isArray(code)) return false
  return code['changes'] !== undefined || code['dirty'] === true
}

/** An empty value says nothing. */
function isStated(value: Json | undefined): value is Json {
  if (value === undefined || value === null) return false
  if (typeof value === 'string') return value.trim() !== ''
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/** What a release is refused for. */
export const lackingFacts = (known: readonly KnownFact[]): readonly RequiredFact[] =>
  REQUIRED_FACTS.filter((required) => known.every(({ fact }) => fact !== required))

/** What a card is not complete without. */
export const lackingCardFacts = (known: readonly KnownFact[]): readonly CardFact[] =>
  CARD_FACTS.filter((required) => known.every(({ fact }) => fact !== required))

export const HOW_TO_STATE: Readonly<Record<VersionFact, string>> = {
  code: 'ironlaw artifact add DIR --type model --run RUN, whose program lies in a git repository; or --fact code=COMMIT; or "ironlaw export --code COMMIT" before',
  data: 'have the spec of the run name its datasets under "uses"; or ironlaw artifact add DIR --type model --fact data=corpus@3',
  configuration: 'ironlaw artifact add DIR --type model --run RUN, whose plan and arguments it is; or --fact configuration=DIGEST',
  environment:
    'ironlaw artifact add DIR --type model --run RUN, whose agents report it; or --fact environment=IMAGE@DIGEST; or "ironlaw export --environment IMAGE@DIGEST" before',
  plan: 'ironlaw artifact add DIR --type model --run RUN',
  run: 'ironlaw artifact add DIR --type model --run RUN',
  hardware: 'ironlaw artifact add DIR --type model --run RUN; or --fact hardware="8 x h100-sxm"',
  cost: 'ironlaw artifact add DIR --type model --run RUN, with a plan that has a price',
  energy: 'ironlaw artifact add DIR --type model --run RUN, with a plan that has a power',
  evaluations: 'ironlaw artifact add RESULTS --type evaluation --fact model=ID',
  card: 'ironlaw artifact add DIR --type model --fact card=README.md',
  intended_use: 'ironlaw artifact add DIR --type model --fact intended_use="answers to customers"',
  languages: 'ironlaw artifact add DIR --type model --fact languages=en,de',
  context_tokens: 'ironlaw artifact add DIR --type model --fact context_tokens=4096',
  licence: 'ironlaw artifact add DIR --type model --fact licence=apache-2.0',
  limitations: 'ironlaw artifact add DIR --type model --fact limitations="no advice on medicine"',
  contact: 'ironlaw artifact add DIR --type model --fact contact=team@example.org',
}

/** Each with how to state it. */
export function missingFacts(known: readonly KnownFact[]): readonly MissingFact[] {
  const facts = new Set(known.map(({ fact }) => fact))
  const required: ReadonlySet<VersionFact> = new Set(REQUIRED_FACTS)
  return VERSION_FACTS.filter((fact) => !facts.has(fact)).map((fact) => ({ fact, blocks: required.has(fact), next: HOW_TO_STATE[fact] }))
}
