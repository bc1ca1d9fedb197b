// Whether a text is what Prometheus' format 0.0.4 asks for: every sample belongs to a family that was described before it, families are not
// torn apart, no sample comes twice, counters are named as such, and the buckets of a histogram rise to its count.

type Family = { readonly name: string; readonly type: string }

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/

/** The problems found; empty if the text is valid. */
export function expositionProblems(text: string): readonly string[] {
  const problems: string[] = []
  const described = new Map<string, Partial<Record<'HELP' | 'TYPE', string>>>()
  const seen = new Set<string>()
  const over = new Set<string>()
  let current: Family | undefined
  const below = new Map<string, number>()
  if (!text.endsWith('\n')) problems.push('the last line does not end')
  for (const line of text.split('\n').slice(0, -1)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP' || kind === 'TYPE') {
      const known = described.get(name) ?? {}
      if (known[kind] !== undefined) problems.push(`${name} is described twice`)
      described.set(name, { ...known, [kind]: rest })
      if (current?.name !== name && current) over.add(current.name)
      current = { name, type: described.get(name)?.TYPE ?? '' }
      continue
    }
    const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    if (sample === '' || !Number.isFinite(Number(value.replace('+Inf', '0').replace('NaN', '0')))) {
      problems.push(`not a sample: ${line}`)
      continue
    }
    const family = current?.type === 'histogram' ? sample.replace(/_(?:bucket|sum|count)$/, '') : sample
    const { HELP, TYPE } = described.get(family) ?? {}
    if (HELP === undefined || TYPE === undefined || current?.name !== family) problems.push(`not described before it: ${line}`)
    if (over.has(family)) problems.push(`torn apart: ${line}`)
    if (TYPE === 'counter' && !family.endsWith('_total')) problems.push(`a counter without _total: ${line}`)
    if (seen.has(`${sample}{${labels}}`)) problems.push(`twice: ${line}`)
    seen.add(`${sample}{${labels}}`)
    if (TYPE === 'histogram') problems.push(...bucketProblems(below, { sample, labels, value: Number(value) }))
  }
  return problems
}

type Sample = { readonly sample: string; readonly labels: string; readonly value: number }

function bucketProblems(below: Map<string, number>, { sample, labels, value }: Sample): readonly string[] {
  const key = `${sample.replace(/_(?:bucket|count)$/, '')} ${labels.replace(/,?le="[^"]*"/, '')}`
  if (sample.endsWith('_bucket')) {
    const before = below.get(key) ?? 0
    below.set(key, value)
    return value < before ? [`falls: ${sample}{${labels}}`] : []
  }
  return sample.endsWith('_count') && below.get(key) !== value ? [`${sample}{${labels}} is not its last bucket`] : []
}
