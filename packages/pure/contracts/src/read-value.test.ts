import { expect, test } from 'vitest'
import * as z from 'zod'
import { readValue } from './read-value.ts'

const SCHEMA = z.object({ list: z.array(z.string()).max(3) })

test('what fits is read, what does not is refused by its path', () => {
  expect(readValue(SCHEMA, { list: ['a'] })).toMatchObject({ success: true, data: { list: ['a'] } })
  expect(readValue(SCHEMA, { list: 5 }).error?.issues).toMatchObject([{ path: ['list'], code: 'invalid_type' }])
})

test('a length that is no number is refused, where zod throws', () => {
  const hostile: unknown = JSON.parse('{"list":{"length":{"toString":{}}}}')
  expect(() => SCHEMA.safeParse(hostile)).toThrow(TypeError)
  expect(readValue(SCHEMA, hostile).error?.issues).toMatchObject([{ code: 'custom', path: [] }])
})
