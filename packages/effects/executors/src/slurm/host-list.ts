// Slurm's compressed host lists: `n[1-3,07],login` is n1 n2 n3 n07 login.

export const hostsIn = (list: string): readonly string[] => partsOf(list).flatMap(expanded)

/** Split at the commas outside brackets. */
const partsOf = (list: string): readonly string[] => list.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? []

function expanded(part: string): readonly string[] {
  const [, before, ranges, after] = /^([^[]*)\[([^\]]*)\](.*)$/.exec(part) ?? []
  if (before === undefined || ranges === undefined || after === undefined) return [part]
  const rest = expanded(after)
  return ranges
    .split(',')
    .flatMap(numbers)
    .flatMap((number) => rest.map((end) => `${before}${number}${end}`))
}

/** `08-10` keeps its width: 08 09 10. */
function numbers(range: string): readonly string[] {
  const [first = '', last = first] = range.split('-')
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => String(Number(first) + index).padStart(first.length, '0'))
}
