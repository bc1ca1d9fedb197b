// Finds languages in a thread of its own: the tables of the detector take a third of a second to load, in which the streams of every tenant would stand
// still.

import { parentPort } from 'node:worker_threads'
import { language } from '@ironlaw/text/small-language'

/** Below it the text is in none of the known languages. */
const LEAST_CERTAINTY = 0.6

/** Texts, and for each a word in the same order. */
export type LanguageRequest = readonly string[]
export type LanguageResponse = readonly string[]

const port = parentPort
if (!port) throw new Error('language-worker.ts runs in a worker thread')
port.on('message', (texts: LanguageRequest) => port.postMessage(texts.map(wordOf) satisfies LanguageResponse))

/** The code of a language, `other` or `none`. */
function wordOf(text: string): string {
  const found = language(text)
  if (found === undefined) return 'none'
  return found.certainty < LEAST_CERTAINTY ? 'other' : found.code
}
