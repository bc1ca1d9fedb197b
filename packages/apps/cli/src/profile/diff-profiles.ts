// `ironlaw diff` of two profiles: files, or artifacts of type profile that hold one.

import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest, restore } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { PROFILE, type Profile } from '@ironlaw/contracts/profile'
import { compareProfiles, type NumbersApart, type ProfileComparison, type WordsApart } from '@ironlaw/policies/profile'
import { counted, showShortPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { siteArtifacts } from '../artifact/add-artifact.ts'
import { context } from '../context/context.ts'
import { readDocument } from '../input-file.ts'
import { table } from '../table.ts'
import { numberText } from './profile-text.ts'

/** An artifact may have such a name too: files are meant where one is there, or a path is written. */
export const areProfileFiles = (names: readonly string[]): boolean =>
  names.every((name) => name.endsWith('.json')) && names.some((name) => name.includes('/') || existsSync(name))

export const diffProfileFiles = (before: string, after: string): CommandAnswer => profilesAnswer(readProfile(before), readProfile(after))

function readProfile(path: string): Profile {
  const read = PROFILE.safeParse(readDocument(path))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new IronlawError(
    'IL_DOCUMENT',
    { path, reason: `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'no profile'}` },
    { next: 'name a file that "ironlaw profile --to" wrote' },
  )
}

/** Undefined where one of the artifacts is no profile of rows; one of a data run holds figures of its steps. */
export async function diffProfileArtifacts(names: readonly [string, string], project: string): Promise<CommandAnswer | undefined> {
  const [before, after] = await Promise.all(names.map((name) => profileOfArtifact(name, project)))
  return before && after && profilesAnswer(before, after)
}

async function profileOfArtifact(artifact: string, project: string): Promise<Profile | undefined> {
  const { id, type, files } = await api(context()).getArtifact({ project, artifact })
  if (type !== 'profile' || files !== 1) return undefined
  const to = await mkdtemp(join(tmpdir(), 'ironlaw-profile-'))
  try {
    const artifacts = await siteArtifacts()
    await restore(artifacts, await readManifest(artifacts, id), { to })
    const file = (await readdir(to)).find((name) => name.endsWith('.json'))
    return file === undefined ? undefined : PROFILE.safeParse(readDocument(join(to, file))).data
  } finally {
    await rm(to, { recursive: true, force: true })
  }
}

function profilesAnswer(before: Profile, after: Profile): CommandAnswer {
  const comparison = compareProfiles(before, after)
  return { json: comparison, text: () => comparisonText(comparison) }
}

function comparisonText({ rows, features, not_compared }: ProfileComparison): string {
  const numbers = features.filter((each) => each.kind === 'numbers').toSorted((a, b) => b.ks / b.ks_limit - a.ks / a.ks_limit)
  // Where all rows of both have the one word there is nothing to show.
  const words = features
    .filter((each) => each.kind === 'words')
    .filter(({ js_limit_nats }) => js_limit_nats > 0)
    .toSorted((a, b) => excess(b) - excess(a))
  const beyond = features.filter((each) => each.beyond_chance).length
  return [
    `${counted(rows.before, 'row')} before, ${counted(rows.after, 'row')} after: ${beyond} of ${counted(features.length, 'feature')} further apart than chance explains`,
    ...(numbers.length === 0
      ? []
      : [
          '',
          table(
            ['NUMBERS', 'BEFORE', 'AFTER', 'SHIFT', 'KS', 'LIMIT', 'PSI', 'BY CHANCE', ''],
            numbers.map(numbersRow),
            [1, 2, 3, 4, 5, 6, 7],
          ),
        ]),
    ...(words.length === 0 ? [] : ['', table(['WORDS', 'JS', 'LIMIT', 'BY CHANCE', 'LARGEST CHANGE', ''], words.map(wordsRow), [1, 2, 3])]),
    ...(not_compared.length === 0
      ? []
      : ['', `not compared: ${not_compared.map(({ feature, only_in }) => `${feature} (only ${only_in})`).join(', ')}`]),
  ].join('\n')
}

const excess = ({ js_nats, js_limit_nats }: WordsApart): number => (js_limit_nats === 0 ? 0 : js_nats / js_limit_nats)

const mark = ({ beyond_chance }: { readonly beyond_chance: boolean }): string => (beyond_chance ? 'beyond chance' : '')

function numbersRow(each: NumbersApart): readonly string[] {
  const { feature, mean_before, mean_after, mean_shift, ks, ks_limit, psi, psi_by_chance } = each
  return [
    feature,
    numberText(mean_before),
    numberText(mean_after),
    mean_shift === undefined ? '' : `${mean_shift < 0 ? '' : '+'}${mean_shift.toFixed(2)} SD`,
    ks.toFixed(3),
    ks_limit.toFixed(3),
    psi?.toFixed(3) ?? '',
    psi_by_chance?.toFixed(3) ?? '',
    mark(each),
  ]
}

function wordsRow(each: WordsApart): readonly string[] {
  const { feature, js_nats, js_by_chance_nats, js_limit_nats, largest_change: change } = each
  const text =
    change.before === change.after ? '' : `${change.word} ${showShortPercent(change.before)} -> ${showShortPercent(change.after)}`
  return [feature, js_nats.toFixed(4), js_limit_nats.toFixed(4), js_by_chance_nats.toFixed(4), text, mark(each)]
}
