import { expect, test } from 'vitest'
import { resumptionText } from './resumption.ts'

test('a recovery says what it costs', () => {
  expect(resumptionText({ checkpoint: 40, lastStep: 57 })).toBe('goes on from the checkpoint of step 40')
  expect(resumptionText({ checkpoint: undefined, lastStep: 12 })).toBe('no checkpoint yet: starts again at step 0')
  expect(resumptionText({ checkpoint: undefined, lastStep: undefined })).toBe('starts again from the beginning')
})
