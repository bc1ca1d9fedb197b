// Output of NVIDIA's nccl-tests (all_reduce_perf and its siblings; AMD's rccl-tests print the same): a header that lists the ranks with
// their hosts, then one line a size: size, count, type, operation, root, and time in microseconds with algorithm and bus bandwidth, out of
// place and in place (nccl-tests, src/common.cu).

import type { CollectiveName, CollectiveRow } from './measurement.ts'

export type ImportedCollectives =
  | {
      readonly ok: true
      readonly rows: readonly CollectiveRow[]
      readonly hosts: readonly string[]
      readonly device: string
      readonly name: CollectiveName
    }
  | { readonly ok: false; readonly reason: string }

const PROGRAMS: readonly (readonly [RegExp, CollectiveName])[] = [
  [/all_reduce_perf/, 'all-reduce'],
  [/all_gather_perf/, 'all-gather'],
  [/reduce_scatter_perf/, 'reduce-scatter'],
  [/alltoall_perf/, 'all-to-all'],
]

const RANK = /^#?\s*Rank\s+\d+\s+(?:Group\s+\d+\s+)?Pid\s+\d+ on\s+(\S+) device\s+\S+ \[[^\]]*\]\s*(.*)$/
const TIMES =
  /^\s*(\d+)\s+(\d+)\s+(\w+)\s+(\w+)\s+(-?\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+)(?:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+))?/
/** Older versions print no root for collectives without one. */
const ROOTLESS =
  /^\s*(\d+)\s+(\d+)\s+(\w+)\s+(sum|prod|min|max|avg|none)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+)(?:\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\S+))?/

type Line = {
  readonly bytes: number
  readonly reduces: boolean
  readonly times_us: readonly number[]
  readonly busToAlgorithm: number
  readonly wrong: boolean
}

/** `title` is the file's name, which often says which program it was. */
export function parseNcclTests(text: string, title: string): ImportedCollectives {
  const lines = text.split('\n')
  const found = lines.flatMap((line) => {
    const match = RANK.exec(line)
    return match ? [{ host: match[1] ?? '', device: (match[2] ?? '').trim() }] : []
  })
  const hosts = [...new Set(found.map(({ host }) => host))]
  if (found.length < 2) return { ok: false, reason: 'no list of at least two ranks ("Rank 0 Group 0 Pid ... on HOST device ...")' }
  const rows = lines.flatMap((line) => lineOf(line) ?? [])
  if (rows.length === 0) return { ok: false, reason: 'no table row: size, count, type, redop, root, time, algbw, busbw' }
  const wrong = rows.filter((row) => row.wrong).length
  if (wrong > 0)
    return {
      ok: false,
      reason: `${wrong} sizes gave wrong results: the hardware or its configuration is broken, so the times are meaningless`,
    }
  const name = nameOf(`${title}\n${text}`, rows, found.length)
  if (!name)
    return { ok: false, reason: 'the collective is not named; keep the command line in the file, or name the file after the program' }
  return {
    ok: true,
    name,
    hosts,
    device: found[0]?.device ?? '',
    rows: rows
      .filter(({ bytes }) => bytes > 0)
      .map(({ bytes, times_us }) => ({
        measured: 'collective',
        name,
        bytes,
        ranks: found.length,
        nodes: hosts.length,
        seconds: { [hosts[0] ?? '']: times_us.map((time) => time / 1e6) },
      })),
  }
}

function lineOf(line: string): Line | undefined {
  const rooted = TIMES.exec(line)
  const match = rooted ?? ROOTLESS.exec(line)
  if (!match) return undefined
  const fields = rooted ? [...match.slice(1, 5), ...match.slice(6)] : match.slice(1)
  const [bytes, , , operation, time, algorithm, bus, wrong, again, , , wrongAgain] = fields
  const times = [time, again].flatMap((each) => (each === undefined || Number(each) <= 0 ? [] : [Number(each)]))
  if (times.length === 0) return undefined
  return {
    bytes: Number(bytes),
    reduces: operation !== 'none',
    times_us: times,
    busToAlgorithm: Number(bus) / Number(algorithm),
    wrong: [wrong, wrongAgain].some((count) => count !== undefined && /^[1-9]\d*$/.test(count)),
  }
}

/** By the program's name, otherwise by whether it reduces and by the ratio of bus to algorithm bandwidth. */
function nameOf(text: string, rows: readonly Line[], ranks: number): CollectiveName | undefined {
  const named = PROGRAMS.find(([program]) => program.test(text))
  if (named) return named[1]
  const large = rows.at(-1)
  if (!large?.reduces) return undefined
  const twice = (2 * (ranks - 1)) / ranks
  return Math.abs(large.busToAlgorithm - twice) < 0.1 * twice ? 'all-reduce' : 'reduce-scatter'
}
