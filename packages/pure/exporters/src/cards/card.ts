// A card of a version of a model: what the registry knows, each figure with where it comes from, and what nobody stated. Renderers read it and
// nothing else, so that all formats say the same.

import type { Json } from '@ironlaw/contracts'
import type { Evaluation, Instrument } from '@ironlaw/contracts/evaluation'
import type { Decision, KnownFact, MissingFact, VersionFact, VersionState } from '@ironlaw/contracts/model-registry'
import type { ModelFile, ModelVersion, VariantProof } from '@ironlaw/contracts/model-version'
import { factText } from './fact-text.ts'

/** An evaluation of the version; without a document where the artifact has none that can be read. */
export type CardEvaluation = {
  readonly name: string
  /** Of the artifact. */
  readonly id?: string
  readonly document?: Evaluation
}

type CardDataset = { readonly id: string; readonly names: readonly string[]; readonly bytes: number }

export type CardSources = {
  readonly id: string
  readonly names: readonly string[]
  readonly state?: VersionState
  readonly uncommitted?: boolean
  readonly bytes: number
  readonly added: { readonly at: number; readonly by?: string }
  /** As they were stated, also those that the registry has no name for. */
  readonly stated: Readonly<Record<string, Json | undefined>>
  /** Where: what a reader can look at. */
  readonly statedIn: string
  readonly known: readonly KnownFact[]
  readonly missing: readonly MissingFact[]
  readonly evaluations: readonly CardEvaluation[]
  /** Evaluations that name the version and were not read. */
  readonly unread: number
  readonly datasets: readonly CardDataset[]
  readonly decisions: readonly Decision[]
  /** Beside the files, where "ironlaw export" wrote it. */
  readonly record?: ModelVersion
  /** When the card is made: states and evaluations change. Seconds since 1970-01-01 UTC. */
  readonly at: number
}

type CardFact = { readonly value: Json; readonly text: string; readonly source: string }

/** A score with its 90 % interval. */
export type CardFigure = {
  readonly metric: string
  readonly value: number
  readonly low: number
  readonly high: number
  readonly items: number
  readonly slice?: { readonly name: string; readonly value: string }
  readonly evaluation: string
  readonly instrument: string
  readonly task: string
  readonly itemsDigest: string
  readonly source: string
}

export type Card = Pick<CardSources, 'id' | 'names' | 'bytes' | 'added' | 'stated' | 'statedIn' | 'datasets' | 'decisions' | 'at'> & {
  readonly title: string
  readonly state: string
  readonly facts: Partial<Readonly<Record<VersionFact, CardFact>>>
  readonly figures: readonly CardFigure[]
  /** Evaluations whose scores the card does not give, and why. */
  readonly leftOut: readonly string[]
  readonly files: readonly ModelFile[]
  readonly variants: readonly VariantProof[]
  readonly missing: readonly { readonly fact: VersionFact; readonly next: string }[]
}

export function modelCard(sources: CardSources): Card {
  const { id, names, state, uncommitted, bytes, added, stated, statedIn, datasets, decisions, at, record, known } = sources
  const run = known.find(({ fact }) => fact === 'run')?.value
  const judged = sources.evaluations.map((each) => judgedEvaluation(each, record))
  return {
    id,
    names,
    bytes,
    added,
    stated,
    statedIn,
    datasets,
    decisions,
    at,
    title: names[0] ?? record?.name ?? id.slice(0, 12),
    state: `${state ?? 'not in a registry'}${uncommitted ? ', from uncommitted code' : ''}`,
    facts: Object.fromEntries(
      known.map(({ fact, value, from }) => [
        fact,
        { value, text: factText(fact, value), source: from === 'stated' ? statedIn : sourceText(fact, from, run) },
      ]),
    ),
    figures: judged.flatMap(({ figures }) => figures),
    leftOut: [
      ...judged.flatMap(({ why }) => why ?? []),
      ...(sources.unread > 0 ? [`${sources.unread} older evaluations name the version and were not read`] : []),
    ],
    files: record?.files ?? [],
    variants: record?.evaluation?.variants ?? [],
    // The card itself is what is being made.
    missing: sources.missing.filter(({ fact }) => fact !== 'card').map(({ fact, next }) => ({ fact, next })),
  }
}

function sourceText(fact: VersionFact, from: Exclude<KnownFact['from'], 'stated'>, run: Json | undefined): string {
  const runText = typeof run === 'string' ? `run ${run}` : 'the run that made it'
  switch (from) {
    case 'run':
      return runText
    case 'edges':
      return fact === 'evaluations' ? 'artifacts that name the version' : `what ${runText} used`
    case 'ledger':
      return `ledger of ${runText}`
  }
}

type JudgedEvaluation = { readonly figures: readonly CardFigure[]; readonly why?: string }

/** Scores of other weights say nothing of this version. An engine that does not say what it holds is taken at its word. */
function judgedEvaluation({ name, id, document }: CardEvaluation, record: ModelVersion | undefined): JudgedEvaluation {
  if (!document) return { figures: [], why: `${name} holds no evaluation.json that can be read` }
  const { weights } = document.model
  if (record && weights !== undefined && record.files.every(({ sha256 }) => sha256 !== weights))
    return { figures: [], why: `${name} is of weights ${weights.slice(0, 12)}, which this version does not have` }
  const { instrument, items, metrics, slices, sequential } = document
  const shared = {
    evaluation: document.name,
    instrument: instrumentText(instrument),
    task: instrument.task,
    itemsDigest: items.digest,
    source: id === undefined ? `evaluation ${name}` : `evaluation ${name} (${id.slice(0, 12)})`,
  }
  return {
    figures: [
      ...Object.entries(metrics).map(([metric, score]) => ({ metric, ...score, items: sequential?.asked ?? items.count, ...shared })),
      ...slices.map((slice) => ({
        metric: instrument.metric,
        ...slice.score,
        items: slice.items,
        slice: { name: slice.slice, value: slice.value },
        ...shared,
      })),
    ],
  }
}

const instrumentText = ({ engine, version, quantization, template, sampling, harness }: Instrument): string =>
  [
    [engine, version].filter(Boolean).join(' '),
    ...(quantization === undefined ? [] : [quantization]),
    `template ${template}`,
    ...(sampling.temperature === undefined ? [] : [`temperature ${sampling.temperature}`]),
    ...(harness ? [`asked by ${harness.program} ${harness.version}`] : []),
  ].join(', ')
