// A schema on a value from outside. A separate entry point, as everything that loads zod.

import * as z from 'zod'

export type Issues = { readonly issues: readonly z.core.$ZodIssue[] }

type ReadValue<Value> =
  | { readonly success: true; readonly data: Value; readonly error?: undefined }
  | { readonly success: false; readonly data?: undefined; readonly error: Issues }

/**
 * zod compares the `length` of whatever stands in the place of a list or a text before it refuses it, and throws where that is an object
 * which has no number. Such a value is refused like any other.
 */
export function readValue<Schema extends z.core.$ZodType>(schema: Schema, value: unknown): ReadValue<z.output<Schema>> {
  try {
    return z.safeParse(schema, value)
  } catch (cause) {
    const message = `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } }
  }
}
