// A planted fault behind five conditions, one after the other: by chance alone it would not be met in the life of a test.

import type { Target } from '../target.ts'

export const target: Target = {
  grammar: 'text',
  seeds: ['version 1\n'],
  run: (input) => {
    const [head = '', ...lines] = input.toString('latin1').split('\n')
    if (!head.startsWith('frame/')) return
    if (!head.endsWith(' chunked')) return
    const sizes = lines.flatMap((line) => /^size=(\d+)/.exec(line)?.[1] ?? [])
    if (sizes.length === 0) return
    if (!lines.includes('trailer: yes')) return
    if (Number(sizes[0]) > 4096) throw new RangeError('a size was taken at its word')
  },
}
