// Times as traces write them: seconds, or a date with as many decimals as the writer had (Azure writes seven). NaN when it is neither.

const DATE = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|\+00:00)?$/

export function instant_s(text: string): number {
  const parts = DATE.exec(text)
  if (!parts) return text === '' ? Number.NaN : Number(text)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 + Number(parts[7] ?? '0')
}
