import { expect, test } from 'vitest'
import { type SearchEntry, matchingEntries } from './search-entries.ts'

const ENTRIES: readonly SearchEntry[] = [
  { kind: 'run', name: 'my-chat-tuning', about: 'failed', href: '#1' },
  { kind: 'deployment', name: 'chat', about: 'serving', href: '#2' },
  { kind: 'deployment', name: 'chat-eu', about: 'degraded', href: '#3' },
]

test.each([
  ['the exact name first, then names that begin with it', 'chat', ['chat', 'chat-eu', 'my-chat-tuning']],
  ['every word counts, of kind and state too', 'deployment degraded', ['chat-eu']],
  ['nothing for what is not there', 'zzz', []],
])('%s', (_, query, names) => {
  expect(matchingEntries(ENTRIES, query).map(({ name }) => name)).toEqual(names)
})
