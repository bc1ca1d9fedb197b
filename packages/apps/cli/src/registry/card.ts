// `ironlaw card`: of a version in the registry, or of a directory that was exported and not added yet; of a dataset, its datasheet.

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import type { CardDocument, CardFormat } from '@ironlaw/contracts/card'
import { MODEL_VERSION, MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { readEvaluation } from '@ironlaw/evaluations'
import { type CardEvaluation, modelCard, renderCard } from '@ironlaw/exporters/cards'
import { exportedFacts, hasUncommittedCode, missingFacts, versionFacts } from '@ironlaw/policies/release'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { readDocument } from '../input-file.ts'

export type CardFlags = { readonly format: CardFormat; readonly project: string; readonly evaluation?: readonly string[] }

export async function cardAnswer(version: string, flags: CardFlags): Promise<CommandAnswer> {
  const card = isDirectory(version) ? await directoryCard(version, flags) : await registryCard(version, flags)
  const missing = card.missing.map(({ what }) => what).join(', ')
  return { json: card, text: () => card.text.trimEnd(), ...(missing !== '' && { notes: [`not known: ${missing}`] }) }
}

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

async function registryCard(artifact: string, { project, format, evaluation }: CardFlags): Promise<CardDocument> {
  if (evaluation)
    throw new IronlawError('IL_USAGE', {
      problem: '--evaluation belongs to a directory; those of a version in the registry name it: "ironlaw artifact add --fact model=ID"',
      command: 'card',
    })
  const { type } = await api(context()).getArtifact({ project, artifact })
  if (type !== 'dataset') return api(context()).getModelCard({ project, artifact, query: { format } })
  if (format !== 'md')
    throw new IronlawError('IL_USAGE', {
      problem: `--format ${format} is for models; a dataset has a datasheet, which is Markdown`,
      command: 'card',
    })
  return api(context()).getDatasheet({ project, artifact })
}

async function directoryCard(directory: string, { format, evaluation = [] }: CardFlags): Promise<CardDocument> {
  const file = join(directory, MODEL_VERSION_FILE)
  const { data: record } = MODEL_VERSION.safeParse(readDocument(file))
  if (!record) throw new IronlawError('IL_DOCUMENT', { path: file, reason: 'it does not describe a version of a model' })
  const evaluations: CardEvaluation[] = []
  for (const name of evaluation) evaluations.push({ name, document: (await readEvaluation(name)).evaluation })
  const stated = exportedFacts(record)
  const known = versionFacts({ stated, datasets: [], evaluations: evaluations.length })
  return renderCard(
    modelCard({
      id: record.id,
      names: [record.name],
      uncommitted: hasUncommittedCode(known),
      bytes: record.files.reduce((total, { bytes }) => total + bytes, 0),
      added: { at: record.created_at },
      stated,
      statedIn: MODEL_VERSION_FILE,
      known,
      missing: missingFacts(known),
      evaluations,
      unread: 0,
      datasets: [],
      decisions: [],
      record,
      // Nothing about a directory changes: the same files are the same card.
      at: record.created_at,
    }),
    format,
  )
}
