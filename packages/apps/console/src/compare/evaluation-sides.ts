// Two evaluations as the API gives their files, and whether they may be compared at all.

import { EVALUATION, EVALUATION_FILE, type Evaluation, RESULTS_FILE } from '@ironlaw/contracts/evaluation'
import { type ItemResult, type ItemText, ITEM_TEXTS_FILE, parseItemResults, parseItemTexts } from '@ironlaw/contracts/evaluation-items'
import { type InstrumentDifference, instrumentDifferences } from '@ironlaw/policies/evaluation'
import { type ArtifactPlace, readJson, readText } from '../datasets/artifact-files.ts'
import { type ApiResult, call } from '../runs/api.ts'

export type EvaluationSide = { readonly evaluation: Evaluation; readonly results: readonly ItemResult[]; readonly hasTexts: boolean }

export async function readSide(place: ArtifactPlace): Promise<ApiResult<EvaluationSide>> {
  const [evaluation, lines, manifest] = await Promise.all([
    readJson({ ...place, path: EVALUATION_FILE }, (value) => EVALUATION.parse(value)),
    readText({ ...place, path: RESULTS_FILE }, (text) => parseItemResults(text, RESULTS_FILE)),
    call('getArtifactManifest', place),
  ])
  if (!evaluation.ok) return evaluation
  if (!lines.ok) return lines
  if (!manifest.ok) return manifest
  const hasTexts = manifest.value.files.some(({ path }) => path === ITEM_TEXTS_FILE)
  return { ok: true, value: { evaluation: evaluation.value, results: lines.value, hasTexts } }
}

export type Texts = ReadonlyMap<string, ItemText>

export async function readTexts(place: ArtifactPlace): Promise<ApiResult<Texts>> {
  const texts = await readText({ ...place, path: ITEM_TEXTS_FILE }, (text) => parseItemTexts(text, ITEM_TEXTS_FILE))
  return texts.ok ? { ok: true, value: new Map(texts.value.map((each) => [each.id, each])) } : texts
}

export type Incomparable =
  | { readonly because: 'instrument'; readonly fields: readonly InstrumentDifference[] }
  | { readonly because: 'stopped'; readonly evaluation: Evaluation; readonly ended: NonNullable<Evaluation['sequential']> }
  | { readonly because: 'items'; readonly before: Evaluation['items']; readonly after: Evaluation['items'] }

/** A difference between instruments would be taken for one between models. */
export function incomparable(before: Evaluation, after: Evaluation, across: readonly string[]): Incomparable | undefined {
  const fields = instrumentDifferences(before.instrument, after.instrument).filter(({ field }) => !across.includes(field))
  if (fields.length > 0) return { because: 'instrument', fields }
  for (const evaluation of [before, after]) {
    const { sequential: ended, items } = evaluation
    if (ended && ended.asked < items.count) return { because: 'stopped', evaluation, ended }
  }
  return before.items.digest === after.items.digest ? undefined : { because: 'items', before: before.items, after: after.items }
}
