// How an operation of the API is declared: once, for the control plane that answers it, the client that calls it and the OpenAPI document.

import * as z from 'zod'
import { PROBLEM } from './api.ts'
import type { Need } from './grants.ts'

/** An answer other than JSON, or other than success, as OpenAPI describes it. */
type DescribedResponse = { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }

type OperationSchema = {
  readonly params?: z.ZodObject
  readonly querystring?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: Readonly<Record<number, z.ZodType | DescribedResponse>>
}

export type Operation<Schema extends OperationSchema = OperationSchema> = {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With parameters as `:name`. */
  readonly url: string
  /** 'open': without a token. */
  readonly need: Need | 'open'
  readonly summary: string
  readonly schema: Schema
  /** A header of the answer that a caller needs beside its value. */
  readonly answerHeader?: 'etag' | 'x-next-offset'
}

/** Of an operation that answers with a page. */
export const PAGE_LIMIT = z.coerce.number().int().min(1).max(1000).default(100)
export const PAGE_CURSOR = z
  .string()
  .regex(/^[\w.~-]{0,100}$/, 'expected a cursor as an answer gave it')
  .optional()

/** The same key with the same request is done once. */
export const IDEMPOTENCY_KEY = z.string().regex(/^[\x21-\x7E]{1,200}$/, 'printable, at most 200')

export const operation = <const Declared extends Operation>(declared: Declared): Declared => declared

export const problemResponse = (description: string) => ({ description, content: { 'application/problem+json': { schema: PROBLEM } } })

export const textResponse = (description: string, type = 'text/plain') => ({ description, content: { [type]: { schema: z.string() } } })

/** Of an operation that replaces a whole document: which one the writer has seen. */
export const SEEN_DOCUMENT_HEADERS = z.object({
  'if-match': z
    .string()
    .max(200)
    .exactOptional()
    .describe('ETag of the document to replace; * for any; optional only when there is none yet'),
})

export const UNSEEN_PROBLEMS = {
  412: problemResponse('The document was changed since; the title says by whom and what'),
  428: problemResponse('There is a document already, and If-Match does not say which one was seen'),
}
