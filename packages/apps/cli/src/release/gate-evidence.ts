// The evidence of each gate of a release, read from where its spec says.

import { join, resolve } from 'node:path'
import { readPublicKey, verifyModel } from '@ironlaw/artifacts/signing'
import { IronlawError, quantityOf } from '@ironlaw/contracts'
import { parseItems } from '@ironlaw/contracts/evaluation-items'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelVersion } from '@ironlaw/contracts/model-version'
import type { KnownFact } from '@ironlaw/contracts/model-registry'
import { GATE_KINDS, type GateKind, type ReleaseGate, type ReleaseSpec } from '@ironlaw/contracts/release-spec'
import { checkComparable, type ReadEvaluation, readEvaluation } from '@ironlaw/evaluations'
import { searchItems } from '@ironlaw/pipelines'
import { type GateRisk, type GroupedOutcome, judgeGroups } from '@ironlaw/policies/evaluation'
import {
  cardFinding,
  contaminationFinding,
  evaluationFinding,
  exportedFacts,
  type GateFinding,
  groupsFinding,
  hasUncommittedCode,
  lackingFacts,
  latencyFinding,
  memoryFinding,
  quantizationFinding,
  scopeFinding,
  versionFacts,
} from '@ironlaw/policies/release'
import { comparisonOf, seenMargin } from '../evaluate/comparable.ts'
import { readDocument, readText } from '../input-file.ts'

export type ReleaseEvidence = {
  readonly spec: ReleaseSpec
  readonly directory: string
  readonly version: ModelVersion
  readonly model: string
}

export function readVersion(spec: ReleaseSpec, directory: string): ReleaseEvidence {
  const model = resolve(directory, spec.model)
  const file = join(model, MODEL_VERSION_FILE)
  const read = MODEL_VERSION.safeParse(readDocument(file))
  if (!read.success) throw new IronlawError('IL_DOCUMENT', { path: file, reason: 'it does not describe a version of a model' })
  return { spec, directory, version: read.data, model }
}

/** Every release has this gate, and nobody can waive it. */
export function completeFinding(evidence: ReleaseEvidence): GateFinding {
  const known = knownFacts(evidence)
  const lacking = lackingFacts(known)
  const dirty = hasUncommittedCode(known) ? '; its code had uncommitted changes' : ''
  return {
    kind: 'complete',
    verdict: lacking.length === 0 ? 'as-good' : 'worse',
    why:
      lacking.length === 0
        ? `code, data, configuration and environment are known${dirty}`
        : `nobody can make it again: it lacks ${lacking.join(', ')}`,
    wouldChange: lacking.length === 0 ? 'one of them missing' : `state ${lacking.join(', ')} at export, or under "facts"`,
    figures: [],
  }
}

/** The evaluations of the release are those of the version. */
const knownFacts = ({ spec, version }: ReleaseEvidence): readonly KnownFact[] =>
  versionFacts({
    stated: { ...exportedFacts(version), ...spec.facts },
    datasets: [],
    evaluations: spec.gates.filter(({ evaluation }) => evaluation !== undefined).length,
  })

const riskOf = ({ spec }: ReleaseEvidence): GateRisk => ({ falseBlock: spec.risk.false_block, miss: spec.risk.miss })

type Readers = {
  readonly [Kind in GateKind]: (rule: NonNullable<ReleaseGate[Kind]>, evidence: ReleaseEvidence) => GateFinding | Promise<GateFinding>
}

const READERS: Readers = {
  evaluation: async (rule, evidence) => {
    const before = await readEvaluation(resolve(evidence.directory, rule.before))
    const after = await readOwnEvaluation(rule.after, evidence)
    checkComparable(before.evaluation, after.evaluation, { across: rule.across })
    const slices = [...new Set(after.evaluation.slices.map(({ slice }) => slice))]
    const margin = seenMargin(before, after, rule.not_worse_by)
    const compared = comparisonOf(before, after, { margin, risk: riskOf(evidence), looks: rule.looks, slices })
    return evaluationFinding(compared, rule)
  },
  latency: async (rule, evidence) => {
    const { results } = await readOwnEvaluation(rule.evaluation, evidence)
    return latencyFinding(
      results.map(({ ms }) => ms),
      rule,
      riskOf(evidence),
    )
  },
  memory: async (rule, evidence) => {
    const { evaluation } = await readOwnEvaluation(rule.evaluation, evidence)
    return memoryFinding(evaluation.memory_bytes, quantityOf(rule.at_most, 'B'))
  },
  groups: (rule, evidence) => {
    const { predictions, slice: _, positive: __, least, ...limits } = rule
    const outcomes = readOutcomes(resolve(evidence.directory, predictions), rule)
    return groupsFinding(judgeGroups(outcomes, { limits, risk: riskOf(evidence), least }), rule)
  },
  contamination: async (rule, evidence) => {
    const { directory } = evidence
    const searched = await searchItems({
      items: resolve(directory, rule.items),
      data: rule.data.map((place) => resolve(directory, place)),
      ...(rule.fields && { fields: rule.fields }),
    })
    const results = rule.evaluation === undefined ? undefined : await resultsOn(searched.items, rule.evaluation, evidence)
    return contaminationFinding({ ...searched, ...(results && { results }) }, rule, riskOf(evidence))
  },
  quantization: (rule, { version }) =>
    quantizationFinding(
      version.evaluation?.variants.find(({ weights }) => weights === rule.weights),
      rule,
    ),
  scope: (rule, evidence) => scopeFinding(knownFacts(evidence), rule),
  card: (_, evidence) => cardFinding(knownFacts(evidence)),
  signature: async ({ key }, { model, directory }) => await signatureFinding(model, resolve(directory, key)),
}

export async function findingOf(gate: ReleaseGate, evidence: ReleaseEvidence): Promise<GateFinding> {
  const kind = GATE_KINDS.find((each) => gate[each] !== undefined)
  if (!kind) throw new Error('a gate has one kind: the spec was checked')
  // The compiler does not join the kind of the rule with that of its reader.
  const read = READERS[kind] as (rule: unknown, of: ReleaseEvidence) => GateFinding | Promise<GateFinding>
  return await read(gate[kind], evidence)
}

async function readOwnEvaluation(place: string, { directory, version }: ReleaseEvidence): Promise<ReadEvaluation> {
  const read = await readEvaluation(resolve(directory, place))
  checkVersion(read, version, place)
  return read
}

/** A score with and without the items that were found is one of these items. */
async function resultsOn(items: readonly string[], place: string, evidence: ReleaseEvidence): Promise<ReadEvaluation['results']> {
  const { results } = await readOwnEvaluation(place, evidence)
  const searched = new Set(items)
  const other = results.find(({ id }) => !searched.has(id))
  if (other === undefined && results.length === items.length) return results
  throw new IronlawError('IL_VIOLATED', {
    problem: `${place} is of ${results.length} items${other === undefined ? '' : `, such as ${other.id}`}, and ${items.length} others were searched for`,
    next: 'name the items of this evaluation as "items"',
  })
}

/** Evidence of other weights says nothing of this version. An engine that does not say what it holds is taken at its word. */
function checkVersion({ evaluation: { model } }: ReadEvaluation, { id, files }: ModelVersion, place: string): void {
  const { weights } = model
  if (weights === undefined || files.some(({ sha256 }) => sha256 === weights)) return
  throw new IronlawError('IL_VIOLATED', {
    problem: `${place} is of weights ${weights.slice(0, 12)}, which version ${id} does not have`,
    next: 'evaluate this version, or name the one that was evaluated as "model"',
  })
}

function readOutcomes(file: string, { slice, positive }: NonNullable<ReleaseGate['groups']>): readonly GroupedOutcome[] {
  return parseItems('prediction', readText(file), file).map(({ id, label, prediction, slices }) => {
    const group = slices?.[slice]
    if (group === undefined)
      throw new IronlawError('IL_SPEC', { file, path: `${id}.slices.${slice}`, problem: 'missing; it says the group' })
    return { group, said: prediction === positive, truth: label === positive }
  })
}

async function signatureFinding(model: string, key: string): Promise<GateFinding> {
  const verified = await verifyModel(model, await readPublicKey(key))
  const problems = verified.state === 'verified' ? [] : verified.problems.map(({ path, problem }) => `${path} ${problem}`)
  return {
    kind: 'signature',
    verdict: problems.length === 0 ? 'as-good' : 'worse',
    why: problems.length === 0 ? 'all files are those that were signed' : problems.slice(0, 3).join('; '),
    wouldChange: problems.length === 0 ? 'a file that was changed, added or removed' : 'sign what is to serve, with "ironlaw sign"',
    figures: [],
  }
}
