import { expect, test } from 'vitest'
import { isLoadFailure } from './load-failure.ts'

test.each([
  ['Chromium', 'Failed to fetch dynamically imported module: http://127.0.0.1/assets/page-x1.js', true],
  ['Firefox', 'error loading dynamically imported module: http://127.0.0.1/assets/page-x1.js', true],
  ['Safari', 'Importing a module script failed.', true],
  ['a style sheet', 'Unable to preload CSS for /assets/page-x1.css', true],
  ['another error', 'Cannot read properties of undefined', false],
])('%s', (_, message, failed) => {
  expect(isLoadFailure(new TypeError(message))).toBe(failed)
})
