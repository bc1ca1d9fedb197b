// What detectors of languages have in common, whatever the size of their tables.

export type Language = {
  /** ISO 639-1. */
  readonly code: string
  /** How well the text fits the language, from 0 to 1: prose in one of the languages is above 0.7, in other languages mostly below 0.6. */
  readonly certainty: number
}

type Detector = {
  readonly detect: (text: string) => { readonly language: string; readonly getScores: () => Readonly<Record<string, number>> }
}

const SAMPLE = 60

/** From the beginning, which may be a title or a menu, and from the middle, from the first space on. */
function sampleOf(text: string): string {
  if (text.length <= 2 * SAMPLE) return text
  const middle = text.length >> 1
  const around = text.slice(middle - (SAMPLE >> 1), middle + SAMPLE)
  const space = around.slice(0, SAMPLE >> 1).search(/\s/)
  return `${text.slice(0, SAMPLE).toWellFormed()} ${around.slice(Math.max(0, space)).toWellFormed()}`
}

export function languageBy(detector: Detector, text: string): Language | undefined {
  const found = detector.detect(sampleOf(text))
  return found.language === '' ? undefined : { code: found.language, certainty: found.getScores()[found.language] ?? 0 }
}
