// The client of the HTTP API, derived from its operations: `client(send).getRun({ id })`. Whoever makes one brings what differs between a
// terminal and a page: the address, the token, the deadline, and what becomes of a refusal.

import * as z from 'zod'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'

type Operations = typeof OPERATIONS
export type OperationName = keyof Operations

export type ApiRequest = {
  readonly method: Operation['method']
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Like `fetch`, for a path. Resolves with answers of success alone: a refusal is thrown. */
export type Transport = (path: string, request: ApiRequest) => Promise<Response>

/** Fields that a schema defaults may be left out. Those it converts from text are given as what they become. */
type Fields<Schema> = Schema extends z.ZodType
  ? { readonly [Key in keyof z.input<Schema>]: Key extends keyof z.output<Schema> ? z.output<Schema>[Key] : never }
  : unknown

type Part<Schema, Name extends string, As extends string, Type> = Name extends keyof Schema
  ? Partial<Record<never, never>> extends Type
    ? { readonly [Key in As]?: Type }
    : { readonly [Key in As]: Type }
  : unknown

type SchemaOf<Name extends OperationName> = Operations[Name]['schema']
type At<Schema, Name extends string> = Name extends keyof Schema ? Schema[Name] : undefined

/** Path parameters by name, with `query`, `headers` and `body` where the operation has them. */
export type InputOf<Name extends OperationName> = Fields<At<SchemaOf<Name>, 'params'>> &
  Part<SchemaOf<Name>, 'querystring', 'query', Fields<At<SchemaOf<Name>, 'querystring'>>> &
  Part<SchemaOf<Name>, 'headers', 'headers', Fields<At<SchemaOf<Name>, 'headers'>>> &
  (At<SchemaOf<Name>, 'body'> extends z.ZodType ? { readonly body: z.input<At<SchemaOf<Name>, 'body'>> } : unknown)

const SUCCESSES = [200, 201, 204] as const
type Success = (typeof SUCCESSES)[number]
type Value<Response> = Response extends z.ZodType ? z.output<Response> : string
type ValueOf<Responses> = { [Status in Success & keyof Responses]: Value<Responses[Status]> }[Success & keyof Responses]

/** What the operation returns, checked by its schema; with the header that it declares, if any. */
export type AnswerOf<Name extends OperationName> = Operations[Name] extends { readonly answerHeader: string }
  ? { readonly value: ValueOf<SchemaOf<Name>['response']>; readonly header: string | undefined }
  : ValueOf<SchemaOf<Name>['response']>

export type ApiClient = { readonly [Name in OperationName]: (input: InputOf<Name>) => Promise<AnswerOf<Name>> }

export const client = (send: Transport): ApiClient =>
  // Each function has the types of its own schemas; here they are all alike.
  Object.fromEntries(
    Object.entries<Operation>(OPERATIONS).map(([name, operation]) => [
      name,
      async (input: AnyInput) => readAnswer(operation, await send(fillPath(operation, input), requestOf(operation, input))),
    ]),
  ) as unknown as ApiClient

/** For what is read as a stream. */
export const pathOf = <Name extends OperationName>(name: Name, input: InputOf<Name>): string =>
  fillPath(OPERATIONS[name], input as AnyInput)

type AnyInput = {
  readonly [parameter: string]: unknown
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Values are not checked here: the control plane does, and says in one place what is wrong with them. */
function fillPath({ url }: Operation, input: AnyInput): string {
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const query = Object.entries(input.query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
  return query.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(query)).toString()}`
}

function requestOf({ method }: Operation, { headers, body }: AnyInput): ApiRequest {
  if (body === undefined) return { method, headers: { ...headers } }
  return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

async function readAnswer({ id, schema, answerHeader }: Operation, answer: Response): Promise<unknown> {
  // Another version may say with another status that it was done.
  const expected = schema.response[answer.status] ?? SUCCESSES.map((status) => schema.response[status]).find(Boolean)
  if (!expected) throw new Error(`${id} declares no success`)
  const value = expected instanceof z.ZodType ? expected.parse(answer.status === 204 ? null : await answer.json()) : await answer.text()
  return answerHeader === undefined ? value : { value, header: answer.headers.get(answerHeader) ?? undefined }
}
