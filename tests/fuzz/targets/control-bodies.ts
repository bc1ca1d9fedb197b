// Bodies, parameters and queries of every operation of the control API, through the limits and the schemas that guard the handlers.

import { OPERATIONS } from '@ironlaw/contracts/operations'
import { readValue } from '@ironlaw/contracts/read-value'
import * as z from 'zod'
import { checkBody } from '../../../packages/effects/control/src/http/body-check.ts'
import { jsonIn, markIssues, refusalOf } from '../schema-states.ts'
import type { Target } from '../target.ts'

const PARTS = ['body', 'params', 'querystring', 'headers'] as const

const SCHEMAS = Object.values(OPERATIONS).flatMap(({ id, schema }) =>
  PARTS.flatMap((part) => {
    const found: unknown = part in schema ? Reflect.get(schema, part) : undefined
    return found instanceof z.ZodType ? [{ id, part, schema: found }] : []
  }),
)

const run = { name: 'r', team: 't', project: 'p', plan: { a: 1 }, program: { argv: ['x'], directory: 'd', environment: { A: 'b' } } }
const deployment = {
  name: 'd',
  replicas: 1,
  argv: ['x'],
  directory: 'd',
  environment: {},
  model: 'm',
  probe: { prompt: 'a', expect: 'b', max_tokens: 1 },
}

export const target: Target = {
  grammar: 'json',
  seeds: [...new Set(SCHEMAS.map(({ id }) => id))].map((operation) =>
    JSON.stringify({
      operation,
      body: { ...run, ...deployment },
      params: { id: 'r', attempt: '1' },
      querystring: { limit: '1' },
      headers: {},
    }),
  ),
  words: SCHEMAS.flatMap(({ schema }) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])),
  run: (input, mark) => {
    const request = jsonIn(input.toString('utf8'))
    if (typeof request !== 'object' || request === null) return
    const sent = Object.entries(request)
    const body: unknown = sent.find(([name]) => name === 'body')?.[1]
    if (refusalOf(() => checkBody(body)) !== undefined) return mark('body refused')
    const chosen: unknown = sent.find(([name]) => name === 'operation')?.[1]
    for (const { id, part, schema } of SCHEMAS) {
      if (id !== chosen) continue
      const { success, error } = readValue(schema, sent.find(([name]) => name === part)?.[1])
      if (success) mark(`${id} ${part} taken`)
      else markIssues(error, mark, `${id} ${part} `)
    }
  },
}
