// Dates and times as JSON and Parquet have them. As written, without the zone: what a row says must not depend on where it is read.

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

export type DateWords = { readonly year: string; readonly month: string; readonly weekday: string; readonly hour?: string }

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

/** With the two words for those outside, as many as a feature has. */
const [FIRST_YEAR, LAST_YEAR] = [1980, 2041]

/** Undefined for any other text, also for a day that there is not. */
export function dateWords(text: string): DateWords | undefined {
  if (text.length < 10 || text.length > 40) return undefined
  const [, year = '', month = '', day = '', hour] = DATE.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (year === '' || date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1 || Number(hour ?? 0) > 23)
    return undefined
  const weekday = WEEKDAYS[date.getUTCDay()] ?? 'sun'
  return { year: yearWord(Number(year)), month, weekday, ...(hour !== undefined && { hour }) }
}

const yearWord = (year: number): string => (year < FIRST_YEAR ? 'earlier' : year > LAST_YEAR ? 'later' : String(year))
