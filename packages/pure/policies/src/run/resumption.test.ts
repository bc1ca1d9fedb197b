import { expect, test } from 'vitest'
import { resumption } from './resumption.ts'

test('a recovery says what it costs', () => {
  expect(resumption({ checkpoint: 40, lastStep: 57 })).toBe('goes on from the checkpoint of step 40')
  expect(resumption({ checkpoint: undefined, lastStep: 12 })).toBe('no checkpoint yet: starts again at step 0')
  expect(resumption({ checkpoint: undefined, lastStep: undefined })).toBe('starts again from the beginning')
})
