import type { ArtifactNameView } from '@ironlaw/contracts/artifact-operations'
import type { DataFigures } from '@ironlaw/contracts/data-figures'
import { expect, test } from 'vitest'
import { figureRows, versionsToCompare } from './version-rows.ts'

const version = (number: number, artifact: string): ArtifactNameView => ({ name: 'corpus', version: number, artifact, at: 0, by: 'ada' })
const [three, two, one] = [version(3, 'c'), version(2, 'b'), version(1, 'a')]

test('the shown version is compared with the one before, unless others are chosen', () => {
  const versions = [three, two, one]
  expect(versionsToCompare(versions, { first: 0, second: 0, shown: 'c' })).toEqual([two, three])
  expect(versionsToCompare(versions, { first: 0, second: 0, shown: 'a' })).toEqual([three, one])
  expect(versionsToCompare(versions, { first: 1, second: 0, shown: 'c' })).toEqual([one, three])
  expect(versionsToCompare(versions, { first: 3, second: 1, shown: 'c' })).toEqual([three, one])
  expect(versionsToCompare([one], { first: 0, second: 0, shown: 'a' })).toBeUndefined()
})

test('steps of the same name are matched, and one that only one version has is shown where it comes', () => {
  const step = (name: string, kept: number): DataFigures['steps'][number] => ({
    step: name,
    into: { documents: 100, bytes: 100 },
    kept: { documents: kept, bytes: kept },
    dropped: {},
  })
  const rows = figureRows(
    { steps: [step('keep', 80), step('keep', 70)], sources: {} },
    { steps: [step('keep', 80), step('deduplicate', 75), step('keep', 60)], sources: {} },
  )
  expect(rows.filter(({ name }) => name.startsWith('kept')).map(({ name, left, right }) => [name, left, right])).toEqual([
    ['kept by keep', '80', '80'],
    ['kept by deduplicate', '–', '75'],
    ['kept by keep (2)', '70', '60'],
  ])
})

test('steps that changed places keep the order of the first version, and new ones at the end stay there', () => {
  const steps = (...names: readonly string[]): DataFigures => ({
    steps: names.map((step) => ({ step, into: { documents: 1, bytes: 1 }, kept: { documents: 1, bytes: 1 }, dropped: {} })),
    sources: {},
  })
  const order = (left: DataFigures, right: DataFigures) =>
    figureRows(left, right).flatMap(({ name }) => (name.startsWith('kept by ') ? [name.slice('kept by '.length)] : []))
  expect(order(steps('expect', 'keep', 'redact'), steps('redact', 'filter', 'expect', 'keep', 'tokenize'))).toEqual([
    'filter',
    'expect',
    'keep',
    'redact',
    'tokenize',
  ])
  expect(order(steps('keep', 'redact'), steps())).toEqual(['keep', 'redact'])
  expect(order(steps(), steps('keep', 'redact'))).toEqual(['keep', 'redact'])
})
