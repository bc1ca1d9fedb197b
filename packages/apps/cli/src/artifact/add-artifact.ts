// `ironlaw artifact add`: bytes go straight to the storage, and the manifest to the control plane.

import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addFiles, type AddRequest, type Artifacts, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { ARTIFACT_REFERENCE, type ArtifactManifest, type ArtifactType } from '@ironlaw/contracts/artifact'
import { EVALUATION_FILE } from '@ironlaw/contracts/evaluation'
import type { ArtifactRegistration, ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { progressLine } from '../progress.ts'
import { modelFacts } from './model-facts.ts'
import { megabytes, shortId, sizeText } from './artifacts.ts'

export type AddFlags = {
  readonly project: string
  readonly type: ArtifactType
  readonly name?: string
  readonly fact?: readonly string[]
  readonly run?: string
}

/** Each time, garbage collection removed something between upload and registration: more than a few times is not chance. */
const MOST_TRIES = 5

export async function siteArtifacts(): Promise<Artifacts> {
  const { url } = await api(context()).getArtifactStorage({})
  return openArtifacts(openStorage(url))
}

export async function addArtifact(path: string, flags: AddFlags): Promise<CommandAnswer> {
  const stated = { ...(flags.type === 'evaluation' && (await evaluationFacts(path))), ...(await statedFacts(flags)) }
  const { facts, run } = flags.type === 'model' ? await modelFacts(path, stated, flags) : { facts: stated, run: flags.run }
  const line = progressLine('MB read')
  const request = { directory: path, type: flags.type, facts, onProgress: megabytes(line) }
  const asFlagged = { ...flags, ...(run !== undefined && { run }) }
  return added(await addRegistered(await siteArtifacts(), request, (manifest) => register(manifest, asFlagged)).finally(line.clear))
}

/** Stored and registered. What garbage collection removed in between is written once more. */
export async function addRegistered(
  artifacts: Artifacts,
  request: AddRequest,
  register: (manifest: ArtifactManifest) => Promise<ArtifactRegistration>,
): Promise<ArtifactView> {
  let missing: ReadonlySet<string> = new Set()
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await register(await addFiles(artifacts, { ...request, again: missing }))
    if (answer.state === 'registered') return answer.artifact
    missing = new Set(answer.keys)
  }
  const what = 'directory' in request ? request.directory : `the ${request.type}`
  throw new IronlawError('IL_CONFLICT', {
    problem: `${missing.size} objects of ${what} disappear from ${artifacts.storage.url} after they are written`,
    next: 'check that the control plane uses the same storage ("ironlaw up --artifacts"), and add it again',
  })
}

const register = (manifest: ArtifactManifest, { project, name, run }: AddFlags) =>
  api(context()).registerArtifact({
    project,
    body: { manifest, ...(name !== undefined && { name }), ...(run !== undefined && { made_by: run }) },
  })

function added(artifact: ArtifactView): CommandAnswer {
  const { id, type, bytes: size, files, names } = artifact
  return {
    json: artifact,
    text: () =>
      [`${type} ${shortId(id)}: ${sizeText(size)} in ${counted(files, 'file')}`, ...names.map((name) => `${name} points at it`)].join('\n'),
  }
}

/**
 * Of a directory that `ironlaw evaluate run` wrote: which model, items and instrument, and the score, so that a list needs no file of it. By the digest of its
 * evaluation.json it is found from the release check that it is evidence of.
 */
async function evaluationFacts(path: string): Promise<Record<string, string | number>> {
  const file = join(path, EVALUATION_FILE)
  if (!existsSync(file)) return {}
  const { readEvaluation } = await import('@ironlaw/evaluations')
  const { model, items, instrument, instrument_digest, score, sequential } = (await readEvaluation(path)).evaluation
  return {
    evaluation: hash('sha256', readFileSync(file)),
    model: model.id,
    ...(model.weights !== undefined && { weights: model.weights }),
    items: items.digest,
    count: items.count,
    ...(sequential && { asked: sequential.asked, against: sequential.against.model, verdict: sequential.verdict }),
    instrument: instrument_digest,
    metric: instrument.metric,
    score: score.value,
    score_low: score.low,
    score_high: score.high,
  }
}

/** The registry finds what is about a version by its id, and people name it as chat@4. */
async function statedFacts({ project, type, fact = [] }: AddFlags): Promise<Record<string, string>> {
  const facts = factsOf(fact)
  const { model } = facts
  if (type === 'model' || type === 'dataset' || !ARTIFACT_REFERENCE.safeParse(model).success) return facts
  const named = await find(api(context()).getArtifact({ project, artifact: model ?? '' }))
  return named?.type === 'model' ? { ...facts, model: named.id } : facts
}

function factsOf(stated: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    stated.map((each) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? []
      if (name === undefined || value === undefined)
        throw new IronlawError('IL_USAGE', { problem: `--fact ${each} has no "=": write NAME=VALUE`, command: 'artifact add' })
      return [name, value]
    }),
  )
}
