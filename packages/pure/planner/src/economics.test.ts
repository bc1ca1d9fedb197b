import { builtInCatalog } from '@ironlaw/catalog'
import { givenValue, YEAR } from '@ironlaw/units'
import { expect, test } from 'vitest'
import { economicsOf } from './economics.ts'

const economicsFor = (accelerator: string) => economicsOf(builtInCatalog, { accelerator, devices: 1000, duration: givenValue(YEAR, 's') })

test('a year of a thousand H100 answers for a quarter of their making', () => {
  expect((economicsFor('h100-sxm').embodied?.value ?? 0) / (1000 * 165e3)).toBeCloseTo(1 / 4, 3)
})

test('an unpublished figure is unknown', () => expect(economicsFor('gb300').embodied).toBeUndefined())
