// Which language a text is in, by the n-grams of eld (60 languages, ISO 639-1; Indonesian counts as Malay). A few hundred characters decide as well as all.

import { eld } from 'eld/medium'
import { type Language, languageBy } from './detect-language.ts'

/** Undefined for a text without letters of any known language. */
export const language = (text: string): Language | undefined => languageBy(eld, text)
