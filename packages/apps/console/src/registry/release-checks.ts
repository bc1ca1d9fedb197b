// The release checks among the evidence of a decision, and where the files that they rest on are in the registry.

import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import type { ModelView } from '@ironlaw/contracts/model-registry'
import { parseReleaseRecord, RELEASE_FILE, type ReleaseRecord } from '@ironlaw/contracts/release-record'
import { sha256 } from '@ironlaw/contracts'
import { readJson, readText } from '../datasets/artifact-files.ts'
import { artifactHref, versionHref } from '../places.ts'
import { type ApiResult, call } from '../runs/api.ts'
import { isArtifactId, shortId } from './version-words.tsx'

type EvidencePlace = { readonly name: string; readonly href: string }

/** By the digest of a file. */
export type EvidencePlaces = ReadonlyMap<string, EvidencePlace>

/** An artifact with a release.json, which may be anything. */
export type FoundCheck = { readonly artifact: string; readonly name: string; readonly record: ApiResult<ReleaseRecord> }

export type DecisionChecks = { readonly checks: readonly FoundCheck[]; readonly places: EvidencePlaces }

/** Of the evidence of a decision; whoever names more opens them one by one. */
const MOST_READ = 8
/** A release check has one, and an evaluation a few: an artifact with more is neither, and its manifest is large. */
const MOST_FILES = 1000

type VersionOfChecks = Pick<ModelView, 'id' | 'project' | 'evaluations'>

export async function checksOf(model: VersionOfChecks, evidence: readonly string[]): Promise<ApiResult<DecisionChecks>> {
  const read = await Promise.all(evidence.slice(0, MOST_READ).map((artifact) => readEvidence(model.project, artifact)))
  const failure = read.find((each) => !each.ok)
  if (failure && !failure.ok) return failure
  const found = read.flatMap((each) => (each.ok && each.value ? [each.value] : []))
  const checks = found.flatMap(({ artifact, record }) => (record ? [{ artifact: artifact.id, name: nameOf(artifact), record }] : []))
  const paths = checks.flatMap(({ record }) =>
    record.ok ? record.value.gates.flatMap((gate) => gate.evidence.map(({ path }) => path)) : [],
  )
  const needsRecord = paths.some((path) => path.endsWith(MODEL_VERSION_FILE))
  const own = needsRecord ? await readText({ project: model.project, artifact: model.id, path: MODEL_VERSION_FILE }, sha256) : undefined
  const artifacts = [...model.evaluations, ...found.map(({ artifact }) => artifact)]
  const places = evidencePlaces(model.project, artifacts)
  return {
    ok: true,
    value: {
      checks,
      places: own?.ok ? new Map([...places, [own.value, { name: 'this version', href: artifactHref(model.project, model.id) }]]) : places,
    },
  }
}

type ReadEvidence = { readonly artifact: ArtifactView; readonly record?: ApiResult<ReleaseRecord> }

/** Undefined where the artifact is not there. */
async function readEvidence(project: string, id: string): Promise<ApiResult<ReadEvidence | undefined>> {
  const artifact = await call('getArtifact', { project, artifact: id })
  if (!artifact.ok) return artifact.status === 404 ? { ok: true, value: undefined } : artifact
  const { files, removed_at } = artifact.value
  if (files > MOST_FILES || removed_at !== undefined) return { ok: true, value: { artifact: artifact.value } }
  const manifest = await call('getArtifactManifest', { project, artifact: id })
  if (!manifest.ok) return manifest
  if (manifest.value.files.every(({ path }) => path !== RELEASE_FILE)) return { ok: true, value: { artifact: artifact.value } }
  const record = await readJson({ project, artifact: id, path: RELEASE_FILE }, parseReleaseRecord)
  return { ok: true, value: { artifact: artifact.value, record } }
}

type Located = Pick<ArtifactView, 'id' | 'names' | 'facts'>

const nameOf = ({ names, id }: Pick<ArtifactView, 'id' | 'names'>): string => names[0] ?? shortId(id)

/** An evaluation states the digest of its evaluation.json, and is shown with the version that it names. */
function evidencePlaces(project: string, artifacts: readonly Located[]): EvidencePlaces {
  return new Map(
    artifacts.flatMap(({ id, names, facts }): (readonly [string, EvidencePlace])[] => {
      const { evaluation, model } = facts
      if (typeof evaluation !== 'string') return []
      const href =
        typeof model === 'string' && isArtifactId(model)
          ? versionHref(project, model, { view: 'evaluations', evaluation: id })
          : artifactHref(project, id)
      return [[evaluation, { name: nameOf({ id, names }), href }]]
    }),
  )
}
