// `ironlaw profile`: files as counts.

import { IronlawError } from '@ironlaw/contracts'
import { profileFiles } from '@ironlaw/pipelines'
import { discloseProfile, LEAST_ROWS, LEAST_SHOWN } from '@ironlaw/policies/profile'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { progressLine } from '../progress.ts'
import { checkTarget, profileText, writeProfile } from './profile-text.ts'

export type ProfileFlags = { readonly columns?: string; readonly to?: string }

export async function profileAnswer(files: readonly string[], { columns, to }: ProfileFlags): Promise<CommandAnswer> {
  checkTarget(to)
  const chosen = columns === undefined ? undefined : columnsOf(columns)
  const line = progressLine('rows')
  const read = await profileFiles({ files, ...(chosen && { columns: chosen }), onRows: line.tick }).finally(line.clear)
  const profile = discloseProfile(read.profile)
  if (!profile)
    throw new IronlawError(
      'IL_DOCUMENT',
      {
        path: files.join(', '),
        reason: `${counted(read.profile.rows, 'row')}, and a profile of fewer than ${LEAST_ROWS} shows single ones`,
      },
      { next: 'profile it together with other files' },
    )
  if (to !== undefined) await writeProfile(to, profile)
  return {
    json: profile,
    text: () =>
      [
        `${counted(profile.rows, 'row')} of ${counted(read.files, 'file')}; counts below ${LEAST_SHOWN} are joined to others`,
        ...profileText(profile),
        ...(to === undefined ? [] : ['', `wrote ${to}`]),
      ].join('\n'),
  }
}

function columnsOf(text: string): readonly string[] {
  const columns = text.split(',').map((column) => column.trim())
  if (!columns.includes('')) return columns
  throw new IronlawError('IL_USAGE', { problem: `--columns: "${text}" has an empty name`, command: 'profile' })
}
