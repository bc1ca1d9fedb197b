// What a run made, as artifacts: the dataset, the records that were set aside, and the figures that its ledger compares with the plan.

import { setTimeout as delay } from 'node:timers/promises'
import type { AddRequest, Artifacts } from '@ironlaw/artifacts'
import { type ArtifactManifest, MANIFEST } from '@ironlaw/contracts/artifact'
import type { ArtifactRegistration } from '@ironlaw/contracts/artifact-operations'
import type { Finished } from '@ironlaw/pipelines'
import { api, isAway } from '../api/api-client.ts'
import { addRegistered } from '../artifact/add-artifact.ts'
import { shortId, sizeText } from '../artifact/artifacts.ts'
import { DATA_FIGURES_FACT } from './data-run.ts'
import { isAbsent, writeJsonFile } from './json-file.ts'
import type { Rank } from './rank.ts'

type Making = {
  readonly finished: Finished
  readonly digest: string
  readonly name: string
  readonly to: string
  readonly artifacts: Artifacts
  readonly rank: Rank
}

/** What the name of an artifact may have. */
const MOST_NAME = 63
const nameWith = (name: string, suffix: string): string => `${name.slice(0, MOST_NAME - suffix.length)}${suffix}`

/** Content and facts are the same whoever made them, and so are the names of these artifacts; the profile alone differs from run to run. */
export async function registerDataset({ finished, digest, name, to, artifacts, rank }: Making): Promise<void> {
  const add = async (request: AddRequest, named: string): Promise<void> => {
    const made = await addRegistered(artifacts, request, (manifest) => registerPatiently(rank, manifest, named))
    process.stdout.write(`${made.type} ${named} is ${shortId(made.id)}: ${sizeText(made.bytes)}\n`)
  }
  await add({ directory: to, type: 'dataset', facts: datasetFacts(finished, digest) }, name)
  const aside = `${to}.set-aside.jsonl`
  if (!(await isAbsent(aside)))
    await add({ files: [{ path: 'set-aside.jsonl', from: aside }], type: 'dataset', facts: { spec: digest } }, nameWith(name, '.set-aside'))
  const profile = `${to}.figures.json`
  await writeJsonFile(profile, finished.measured)
  const facts = MANIFEST.shape.facts.parse({ spec: digest, [DATA_FIGURES_FACT]: finished.measured })
  await add({ files: [{ path: 'figures.json', from: profile }], type: 'profile', facts }, nameWith(name, '.profile'))
}

function datasetFacts({ figures, samples }: Finished, spec: string): ArtifactManifest['facts'] {
  const outs = Object.values(figures.sources).map(({ out }) => out)
  const sum = (field: 'documents' | 'bytes' | 'tokens'): number => outs.reduce((total, out) => total + out[field], 0)
  const steps = figures.steps.filter(({ into }) => into.documents > 0)
  return {
    spec,
    documents: sum('documents'),
    bytes: sum('bytes'),
    ...(samples !== undefined && { tokens: sum('tokens'), samples }),
    steps: steps.map(({ step, into, kept }) => ({ step, documents: into.documents, kept: kept.documents })),
  }
}

const WAIT_MS = { first: 1000, most: 30_000 } as const
/** The control plane looks for every object of a large artifact. */
const REGISTER_WITHIN_MS = 330_000

/** A control plane that is away for a while costs the run nothing but that while. */
async function registerPatiently(rank: Rank, manifest: ArtifactManifest, name: string): Promise<ArtifactRegistration> {
  for (let wait_ms: number = WAIT_MS.first; ; wait_ms = Math.min(2 * wait_ms, WAIT_MS.most)) {
    try {
      return await api(rank.context(), REGISTER_WITHIN_MS).makeArtifact({ id: rank.run, body: { manifest, name } })
    } catch (cause) {
      if (!isAway(cause)) throw cause
      process.stdout.write(`the control plane does not answer: ${cause.message}\n`)
      await delay(wait_ms)
    }
  }
}
