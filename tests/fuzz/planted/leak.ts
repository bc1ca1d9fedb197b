// A planted fault: a cache without a limit, whose keys come from outside.

import type { Target } from '../target.ts'

const answers = new Map<string, Uint32Array>()

export const target: Target = {
  grammar: 'json',
  seeds: ['{"user":"u"}'],
  run: (input) => void answers.set(input.toString('latin1'), new Uint32Array(1024)),
}
