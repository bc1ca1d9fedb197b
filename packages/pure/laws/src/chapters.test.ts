import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the book lists every file of every domain', () => {
  const folder = import.meta.dirname
  const domains = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'worked')
  const files = domains.flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `./${name}/${file}`))
  const listed = [...readFileSync(join(folder, 'book.ts'), 'utf8').matchAll(/from '(\.\/[\w-]+\/[\w-]+\.ts)'/g)].map((match) => match[1])
  expect(new Set(listed)).toEqual(new Set(files))
})
