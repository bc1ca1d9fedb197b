import { builtInCatalog } from '@ironlaw/catalog'
import { given, YEAR } from '@ironlaw/units'
import { expect, test } from 'vitest'
import { economicsOf } from './economics.ts'

const of = (accelerator: string) => economicsOf(builtInCatalog, { accelerator, devices: 1000, duration: given(YEAR, 's') })

test('a year of a thousand H100 answers for a quarter of their making', () => {
  expect((of('h100-sxm').embodied?.value ?? 0) / (1000 * 165e3)).toBeCloseTo(1 / 4, 3)
})

test('what nobody published is unknown', () => expect(of('gb300').embodied).toBeUndefined())
