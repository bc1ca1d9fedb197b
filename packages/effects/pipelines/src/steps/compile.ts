// The steps of a spec as functions of a batch of documents.

import { resolve } from 'node:path'
import type { DataStep } from '@ironlaw/contracts/data-spec'
import { contaminationIndex, privateData, qualityFault } from '@ironlaw/text'
import { language } from '@ironlaw/text/language'
import { contentNumbers } from '../content.ts'
import { itemTexts } from '../contamination/item-texts.ts'
import { programStep } from './program.ts'
import { filterStep, type Step, type StepContext } from './step.ts'

/** All steps but deduplication and tokenising, which are passes of their own, and the contract, which is checked before. */
export async function compileStep(step: DataStep, context: StepContext): Promise<Step | undefined> {
  if (step.keep) return keepStep(step.keep)
  if (step.filter) return programStep(step.filter.command, context.directory)
  if (step.without) return withoutStep(step.without, context.directory)
  if (step.redact) return redactStep(step.redact.kinds)
  if (step.sample) return sampleStep(step.sample, context)
  return undefined
}

function keepStep({ languages, certainty, quality }: NonNullable<DataStep['keep']>): Step {
  const wanted = languages && new Set(languages)
  return filterStep('keep', ({ text }) => {
    if (wanted) {
      const found = language(text)
      if (!found || !wanted.has(found.code)) return `language ${found?.code ?? 'unknown'}`
      if (found.certainty < certainty) return `language ${found.code}, uncertain`
    }
    return quality && qualityFault(text, quality)?.rule
  })
}

async function withoutStep({ items, fields }: NonNullable<DataStep['without']>, directory: string): Promise<Step> {
  const index = contaminationIndex((await itemTexts(resolve(directory, items), fields)).map(({ line, text }) => [`${line}`, text]))
  return filterStep('without', ({ text }) => {
    const [hit] = index.hits(text).keys()
    return hit === undefined ? undefined : `holds item ${hit}`
  })
}

function redactStep(kinds: NonNullable<DataStep['redact']>['kinds']): Step {
  const wanted = new Set<string>(kinds)
  return {
    name: 'redact',
    changes: true,
    apply: (documents) => {
      for (const document of documents) {
        const spans = privateData(document.text).filter(({ kind }) => wanted.has(kind))
        if (spans.length === 0) continue
        document.text = spans.reduceRight(
          (text, { start, end, kind }) => `${text.slice(0, start)}<${kind}>${text.slice(end)}`,
          document.text,
        )
        document.isChanged = true
      }
      return documents
    },
  }
}

function sampleStep(shares: NonNullable<DataStep['sample']>, { spec, source }: StepContext): Step {
  const share = shares[spec.from[source]?.name ?? ''] ?? 1
  return filterStep('sample', ({ text }) => (contentNumbers(text, spec.seed).order / 2 ** 53 < share ? undefined : 'not drawn'))
}
