// The files that a gate rests on, by their digests: who reads the verdict later can tell whether they are still the same.

import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemError } from '@ironlaw/contracts'
import { EVALUATION_FILE } from '@ironlaw/contracts/evaluation'
import { SIGNATURE_FILE } from '@ironlaw/contracts/model-signature'
import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import type { EvidenceFile } from '@ironlaw/contracts/release-record'
import type { ReleaseGate, ReleaseSpec } from '@ironlaw/contracts/release-spec'

/** The record of a version, which says its origin and how its weights were measured. */
export const recordPath = ({ model }: Pick<ReleaseSpec, 'model'>): string => join(model, MODEL_VERSION_FILE)

/** As the spec names them. The evaluation.json of an evaluation holds the digest of its results. */
export function evidencePaths(gate: ReleaseGate, spec: Pick<ReleaseSpec, 'model'>): readonly string[] {
  const { evaluation, latency, memory, groups, contamination, signature } = gate
  if (evaluation) return [evaluation.before, evaluation.after].map(evaluationPath)
  if (latency) return [evaluationPath(latency.evaluation)]
  if (memory) return [evaluationPath(memory.evaluation)]
  if (groups) return [groups.predictions]
  if (contamination) {
    const { items, data, evaluation: on } = contamination
    return [items, ...data, ...(on === undefined ? [] : [evaluationPath(on)])]
  }
  if (signature) return [join(spec.model, SIGNATURE_FILE), signature.key]
  return [recordPath(spec)]
}

const evaluationPath = (directory: string): string => join(directory, EVALUATION_FILE)

export async function readEvidence(paths: readonly string[], directory: string): Promise<readonly EvidenceFile[]> {
  const evidence: EvidenceFile[] = []
  for (const path of paths) {
    const file = resolve(directory, path)
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
    evidence.push({ path, ...(isFile && { sha256: await fileDigest(file) }) })
  }
  return evidence
}

async function fileDigest(file: string): Promise<string> {
  const digest = createHash('sha256')
  try {
    await pipeline(createReadStream(file), digest)
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
  return digest.digest('hex')
}
