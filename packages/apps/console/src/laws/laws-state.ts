// The state in the address of the law book.

import { type State, text } from '../address.ts'

export const LAWS = {
  law: text('roofline/attainable'),
  search: text(''),
  /** Values that the user changed. */
  at: text(''),
  /** The worked example that the values come from. */
  example: text(''),
  /** The input along which the curve is drawn. */
  along: text(''),
}

export type LawsState = State<typeof LAWS>
