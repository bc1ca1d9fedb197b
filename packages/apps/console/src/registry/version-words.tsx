// Versions of models in words.

import type { Json } from '@ironlaw/contracts'
import type { Approvals, VersionState } from '@ironlaw/contracts/model-registry'
import type { ReactNode } from 'react'

const KINDS: Readonly<Record<VersionState | 'approved', 'good' | 'bad' | 'plain' | 'waived'>> = {
  candidate: 'plain',
  approved: 'good',
  released: 'good',
  refused: 'bad',
  waived: 'waived',
  retired: 'plain',
}

type StateChipProps = { readonly state: VersionState | 'approved' }

export const StateChip = ({ state }: StateChipProps): ReactNode => <span className={`chip ${KINDS[state]}`}>{state}</span>

/** As 2 of role operator and 1 of role admin. */
export const peopleText = (needs: Approvals['needed']): string => needs.map(({ role, people }) => `${people} of role ${role}`).join(' and ')

export const shortId = (id: string): string => id.slice(0, 'art-'.length + 12)

type Datasets = {
  /** Of artifacts, where the run used some. */
  readonly ids: readonly string[]
  readonly text: string
}

export const isArtifactId = (text: string): boolean => /^art-[0-9a-f]{64}$/.test(text)

/** What a version was trained on: ids of datasets that its run used, or as somebody stated it. */
export function datasetsOf(data: Json | undefined): Datasets {
  if (data === undefined) return { ids: [], text: '' }
  const stated = Array.isArray(data) ? data : [data]
  const ids = stated.filter((each): each is string => typeof each === 'string' && isArtifactId(each))
  return { ids: ids.length === stated.length ? ids : [], text: stated.map(factText).join(', ') }
}

export function factText(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(Number(value.toPrecision(6)))
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(' ') : JSON.stringify(value)
}

export const showDay = (at: number): string => new Date(1000 * at).toISOString().slice(0, 10)

/** Fields of the API are in snake case, those of a shape in camel case. */
export const factName = (fact: string): string =>
  fact.replaceAll('_', ' ').replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
