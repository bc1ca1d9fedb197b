// Seconds since 1970-01-01 as a date in UTC, without a clock or a calendar of the platform.

const DAY_S = 86_400
const LAST_YEAR = 9999

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const monthDays = (year: number): readonly number[] => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Undefined before 1970 and after 9999: files say what others wrote into them. */
export function utcDate(at: number): string | undefined {
  let days = Math.floor(at / DAY_S)
  if (!(days >= 0)) return undefined
  for (let year = 1970; year <= LAST_YEAR; year += 1)
    for (const [month, length] of monthDays(year).entries()) {
      if (days < length) return `${year}-${twoDigits(month + 1)}-${twoDigits(days + 1)}`
      days -= length
    }
  return undefined
}

/** As RFC 3339 has it. */
export function utcTime(at: number): string | undefined {
  const second = Math.floor(at) % DAY_S
  const date = utcDate(at)
  if (date === undefined) return undefined
  return `${date}T${[Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60].map(twoDigits).join(':')}Z`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
