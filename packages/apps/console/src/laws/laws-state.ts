// What the address of the law book holds.

import { type State, text } from '../address.ts'

export const LAWS = {
  law: text('roofline/attainable'),
  search: text(''),
  /** Values that somebody changed. */
  at: text(''),
  /** The worked example that the values come from. */
  example: text(''),
  /** The input along which the curve is drawn. */
  along: text(''),
}

export type LawsState = State<typeof LAWS>
