// The evidence of each gate of a release, read from where its spec says.

import { join, resolve } from 'node:path'
import { readPublicKey, verifyModel } from '@ironlaw/artifacts/signing'
import { IronlawError } from '@ironlaw/contracts'
import { parseItems } from '@ironlaw/contracts/evaluation-items'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelVersion } from '@ironlaw/contracts/model-version'
import type { ReleaseGate, ReleaseSpec } from '@ironlaw/contracts/release-spec'
import { type ReadEvaluation, readEvaluation } from '@ironlaw/evaluations'
import { compareResults, type GroupedOutcome, judgeGroups } from '@ironlaw/policies/evaluation'
import {
  evaluationFinding,
  exportedFacts,
  type GateFinding,
  groupsFinding,
  hasUncommittedCode,
  lackingFacts,
  latencyFinding,
  quantizationFinding,
  versionFacts,
} from '@ironlaw/policies/release'
import { checkComparable } from '../evaluate/comparable.ts'
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
export function completeFinding({ spec, version }: ReleaseEvidence): GateFinding {
  const known = versionFacts({ stated: { ...exportedFacts(version), ...spec.facts }, datasets: [] })
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
    evidence: { version: version.id },
  }
}

export async function findingOf(gate: ReleaseGate, evidence: ReleaseEvidence): Promise<GateFinding> {
  const { spec, directory, version, model } = evidence
  const risk = { falseBlock: spec.risk.false_block, miss: spec.risk.miss }
  if (gate.evaluation) {
    const { before: first, after: second, not_worse_by: margin, looks, across } = gate.evaluation
    const [before, after] = [await readEvaluation(resolve(directory, first)), await readEvaluation(resolve(directory, second))]
    checkComparable(before, after, across)
    checkVersion(after, version, second)
    const slices = [...new Set(after.evaluation.slices.map(({ slice }) => slice))]
    return evaluationFinding(compareResults(before.results, after.results, { margin, risk, looks, slices }), gate.evaluation)
  }
  if (gate.latency) {
    const measured = await readEvaluation(resolve(directory, gate.latency.evaluation))
    checkVersion(measured, version, gate.latency.evaluation)
    return latencyFinding(
      measured.results.map(({ ms }) => ms),
      gate.latency,
      risk,
    )
  }
  if (gate.groups) {
    const { predictions, slice: _, positive: __, least, ...limits } = gate.groups
    return groupsFinding(judgeGroups(readOutcomes(resolve(directory, predictions), gate.groups), { limits, risk, least }), gate.groups)
  }
  if (gate.quantization) {
    const { weights } = gate.quantization
    return quantizationFinding(
      version.evaluation?.variants.find((variant) => variant.weights === weights),
      gate.quantization,
    )
  }
  return await signatureFinding(model, resolve(directory, gate.signature?.key ?? ''))
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
    evidence: { problems: problems.length },
  }
}
