// A profile as tables (numbers, words, and what is missing), and as a file.

import { writeFile } from 'node:fs/promises'
import { canonicalJson, IronlawError, systemError, systemReason } from '@ironlaw/contracts'
import type { Profile } from '@ironlaw/contracts/profile'
import { countedIn, PRESENT, rowsPresent, summaryOf } from '@ironlaw/policies/profile'
import { showShortPercent } from '@ironlaw/units'
import { table } from '../table.ts'

/** Words of a feature that a line holds. */
const MOST_WORDS = 4

export function profileText({ rows, features }: Profile): readonly string[] {
  const all = Object.entries(features)
  const numbers = all.flatMap(([feature, sketch]) => (sketch.kind === 'numbers' ? [numbersRow(feature, sketch.bins)] : []))
  const words = all.flatMap(([feature, sketch]) =>
    sketch.kind === 'words' && !feature.endsWith(PRESENT) ? [[feature, count(countedIn(sketch)), mostFrequent(sketch.counts)]] : [],
  )
  const missing = all.flatMap(([feature, sketch]) => {
    const share = sketch.kind === 'words' && feature.endsWith(PRESENT) ? 1 - rowsPresent(features, feature) / rows : 0
    return share > 0 ? [`${feature.slice(0, -PRESENT.length)} ${showShortPercent(share)}`] : []
  })
  return [
    ...(numbers.length === 0 ? [] : ['', table(['NUMBERS', 'COUNTED', 'P5', 'MEDIAN', 'P95', 'MEAN'], numbers, [1, 2, 3, 4, 5])]),
    ...(words.length === 0 ? [] : ['', table(['WORDS', 'COUNTED', 'MOST FREQUENT'], words, [1])]),
    ...(missing.length === 0 ? [] : ['', `missing: ${missing.join(', ')}`]),
  ]
}

function numbersRow(feature: string, bins: Readonly<Record<string, number>>): readonly string[] {
  const { counted, mean, quantile } = summaryOf(bins)
  return [feature, count(counted), ...[quantile(0.05), quantile(0.5), quantile(0.95), mean].map(numberText)]
}

function mostFrequent(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const all = words.reduce((sum, [, each]) => sum + each, 0)
  const rest = words.length > MOST_WORDS ? [`${words.length - MOST_WORDS} more`] : []
  return [...words.slice(0, MOST_WORDS).map(([word, each]) => `${word} ${showShortPercent(each / all)}`), ...rest].join(', ')
}

const count = (value: number): string => value.toLocaleString('en')

/** Bins are 0.8 % wide: more than three digits would be made up. */
export const numberText = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

/** Before anything is read: a profile is named as what it is. */
export function checkTarget(to: string | undefined): void {
  if (to !== undefined && !to.endsWith('.json'))
    throw new IronlawError('IL_USAGE', { problem: `--to: "${to}" does not end in .json`, command: 'profile' })
}

export async function writeProfile(path: string, profile: Profile): Promise<void> {
  try {
    await writeFile(path, canonicalJson(profile))
  } catch (cause) {
    const known = systemError(cause)
    if (known?.code === 'IL_DISK_FULL') throw known
    throw new IronlawError('IL_WRITE', { path, reason: systemReason(cause) ?? String(cause) }, { cause })
  }
}
