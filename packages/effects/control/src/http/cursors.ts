// Places in lists, as text that a client hands back unread.

import { IronlawError } from '@ironlaw/contracts'
import type { AccessPosition, Event, FeedCursor, RunPage, StepPosition } from '@ironlaw/store'

type RunPosition = NonNullable<RunPage['before']>

export const runCursor = ({ created_at, id }: RunPosition): string => `${created_at}~${id}`

export function runPosition(cursor: string | undefined): RunPosition | undefined {
  if (!cursor) return undefined
  const [, created_at = '', id = ''] = cursorMatch(/^(\d{1,12}(?:\.\d{1,20})?)~([\w-]{1,63})$/, cursor)
  return { created_at: Number(created_at), id }
}

export const feedCursor = ({ transaction_id, feed }: FeedCursor): string => `${transaction_id}.${feed}`

export function feedPosition(cursor: string): FeedCursor {
  const [, transaction_id = '', feed = ''] = cursorMatch(/^(\d{1,19})\.(\d{1,15})$/, cursor)
  return { transaction_id, feed: Number(feed) }
}

export const streamCursor = ({ sequence }: Event): string => String(sequence)

export const streamPosition = (cursor: string | undefined): number => (cursor ? Number(cursorMatch(/^(\d{1,9})$/, cursor)[1]) : 0)

export const sequenceCursor = (sequence: number): string => String(sequence)

export const sequencePosition = (cursor: string | undefined): number | undefined =>
  cursor ? Number(cursorMatch(/^(\d{1,15})$/, cursor)[1]) : undefined

export const stepCursor = ({ attempt, first_step, node_index, sequence }: StepPosition): string =>
  [attempt, first_step, node_index, sequence].join('.')

export function stepPosition(cursor: string | undefined): StepPosition | undefined {
  if (!cursor) return undefined
  const [, attempt, first_step, node_index, sequence] = cursorMatch(/^(\d{1,9})\.(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/, cursor)
  return { attempt: Number(attempt), first_step: Number(first_step), node_index: Number(node_index), sequence: Number(sequence) }
}

export const accessCursor = ({ at, stream, sequence }: AccessPosition): string => `${at}~${stream.replace('access/', '')}~${sequence}`

export function accessPosition(cursor: string | undefined): AccessPosition | undefined {
  if (!cursor) return undefined
  const [, at, day, sequence] = cursorMatch(/^(\d{1,12}(?:\.\d{1,20})?)~([\d-]{10})~(\d{1,9})$/, cursor)
  return { at: Number(at), stream: `access/${day}`, sequence: Number(sequence) }
}

/** Names of streams have characters that a cursor may not have. */
export const auditCursor = (stream: string): string => Buffer.from(stream).toString('base64url')

export const auditPosition = (cursor: string | undefined): string => (cursor ? Buffer.from(cursor, 'base64url').toString() : '')

function cursorMatch(form: RegExp, cursor: string): RegExpExecArray {
  const found = form.exec(cursor)
  if (!found) throw new IronlawError('IL_INVALID', { path: 'querystring.cursor', problem: 'expected a cursor as an answer gave it' })
  return found
}
