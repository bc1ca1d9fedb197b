// A planted fault: a reader of events that looks through everything it holds again for every byte that comes.

import type { Target } from '../target.ts'

const PIECE = 1

export const target: Target = {
  grammar: 'text',
  seeds: ['data: {"a":1}\n\ndata: [DONE]\n\n'],
  words: ['data: ', '\n\n'],
  run: (input) => {
    let rest = ''
    for (let from = 0; from < input.length; from += PIECE) {
      rest += input.toString('latin1', from, from + PIECE)
      const events = rest.split(/\r?\n\r?\n/)
      rest = events.pop() ?? ''
    }
  },
}
