import { expect, test } from 'vitest'
import { showChange, showPercent, showShortPercent } from './percent.ts'

test.each<[shown: string, expected: string]>([
  [showPercent(0.1234), '12.3 %'],
  [showPercent(0.1234, 0), '12 %'],
  [showShortPercent(0.034), '3.4 %'],
  [showShortPercent(0.0999), '10 %'],
  [showShortPercent(0), '0 %'],
  [showChange(0.05), '+5.0 %'],
  [showChange(-0.05, 0), '-5 %'],
  [showChange(0), '+0.0 %'],
])('%s is %s', (shown, expected) => expect(shown).toBe(expected))
