// Slurm's compressed host lists: `n[1-3,07],login` is n1 n2 n3 n07 login. What stands for more hosts than Slurm itself takes is no list,
// and stays one name as it came: a few bytes could ask for more names than there is memory.

/** MAX_RANGE of Slurm's hostlist.c. */
const MOST_HOSTS = 65_536
/** Dimensions of one name, HIGHEST_DIMENSIONS of Slurm. */
const MOST_RANGES = 5

export const hostsIn = (list: string): readonly string[] => partsOf(list).flatMap(expandedHosts)

/** Split at the commas outside brackets. */
function partsOf(list: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  let open = false
  for (let at = 0; at <= list.length; at += 1) {
    const mark = list[at]
    if (mark === '[') open = true
    else if (mark === ']') open = false
    else if (mark === undefined || (mark === ',' && !open)) {
      if (at > from) parts.push(list.slice(from, at))
      from = at + 1
    }
  }
  return parts
}

function expandedHosts(part: string): readonly string[] {
  const pieces = part.split('[')
  if (pieces.length - 1 > MOST_RANGES) return [part]
  let names: readonly string[] = [pieces[0] ?? '']
  for (const piece of pieces.slice(1)) {
    const end = piece.indexOf(']')
    if (end === -1) return [part]
    const numbers = numbersIn(piece.slice(0, end), MOST_HOSTS / names.length)
    if (!numbers) return [part]
    names = names.flatMap((name) => numbers.map((number) => `${name}${number}${piece.slice(end + 1)}`))
  }
  return names
}

/** `08-10` keeps its width: 08 09 10. Undefined where it is no range of numbers, and where there are too many. */
function numbersIn(ranges: string, most: number): readonly string[] | undefined {
  const numbers: string[] = []
  for (const range of ranges.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? []
    if (first === undefined) return undefined
    const count = Number(last) - Number(first) + 1
    if (count < 1 || numbers.length + count > most) return undefined
    for (let index = 0; index < count; index += 1) numbers.push(String(Number(first) + index).padStart(first.length, '0'))
  }
  return numbers
}
