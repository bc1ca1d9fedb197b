// A schema is data, so its branches are not counted: which rules refused an input is marked instead.

import { checkBody } from '../../packages/effects/control/src/http/body-check.ts'
import { IronlawError } from '@ironlaw/contracts'
import { type Issues, readValue } from '@ironlaw/contracts/read-value'
import type * as z from 'zod'
import type { Mark } from './target.ts'

/** Issues are marked by rule and path, the first few of them: an input that is wrong everywhere would be new for ever. */
const MOST_ISSUES = 6

export function markIssues(error: Issues, mark: Mark, prefix = ''): void {
  for (const { code, path } of error.issues.slice(0, MOST_ISSUES))
    mark(`${prefix}${code} ${path.map((part) => (typeof part === 'number' ? '*' : String(part).slice(0, 20))).join('.')}`)
}

/** A body as the control API takes it: text, JSON, limits, schema. Undefined where it is refused. */
export function checkedBody<Schema extends z.ZodType>(text: string, schema: Schema, mark: Mark): z.output<Schema> | undefined {
  const body = jsonIn(text)
  if (body === undefined) return undefined
  if (refusalOf(() => checkBody(body)) !== undefined) {
    mark('body refused')
    return undefined
  }
  const { success, data, error } = readValue(schema, body)
  if (success) {
    mark('taken')
    return data
  }
  markIssues(error, mark)
  return undefined
}

/** Undefined for what is no JSON, which the framework refuses. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The refusal from our catalogue; what else is thrown goes on. */
export function refusalOf(act: () => void): IronlawError | undefined {
  try {
    act()
    return undefined
  } catch (cause) {
    if (cause instanceof IronlawError) return cause
    throw cause
  }
}

/** A refusal as a state: its code and the shape of its words. */
export const stateOf = ({ code, message }: IronlawError): string => `${code} ${message.replaceAll(/"[^"]*"|\d+/g, '_').slice(0, 60)}`
