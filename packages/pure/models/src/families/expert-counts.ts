import type { FieldReader } from '../field-reader.ts'

type Names = { readonly experts: string; readonly active: readonly string[] | string }

/** How many experts there are and how many a token visits, which cannot be more. */
export function expertCounts(
  config: FieldReader,
  names: Names,
  byDefault: { experts?: number; active?: number } = {},
): { experts: number; active: number } {
  const experts = config.count(names.experts, byDefault.experts)
  const active = config.count(names.active, byDefault.active)
  if (active > experts)
    config.refuse(
      typeof names.active === 'string' ? names.active : (names.active[0] ?? ''),
      `a token cannot visit ${active} of ${experts} experts`,
    )
  return { experts, active }
}
