import { expect, test } from 'vitest'
import { parseNcclTests } from './nccl-tests.ts'

const ranks = (hosts: readonly string[], each: number): string =>
  hosts
    .flatMap((host, node) =>
      Array.from(
        { length: each },
        (_, device) =>
          `#  Rank ${String(node * each + device).padStart(2)} Group  0 Pid  ${4100 + device} on ${host.padStart(10)} device  ${device} [0000:${10 + device}:00] NVIDIA H100 80GB HBM3`,
      ),
    )
    .join('\n')

const table = (hosts: readonly string[], each: number, rows: string): string => `
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
${ranks(hosts, each)}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
${rows}
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 215.36
#
`

const REDUCED = `
     1048576        262144     float     sum      -1    58.40   17.96   31.42      0    57.90   18.11   31.69      0
    16777216       4194304     float     sum      -1    130.5  128.56  224.98      0    129.8  129.25  226.19      0
  1073741824     268435456     float     sum      -1   4012.6  267.59  468.29      0   4010.1  267.76  468.58      0`

test('a table of all_reduce_perf on one node of eight', () => {
  const found = parseNcclTests(table(['gpu-01'], 8, REDUCED), 'all_reduce_perf.txt')
  expect(found).toMatchObject({ ok: true, name: 'all-reduce', hosts: ['gpu-01'], device: 'NVIDIA H100 80GB HBM3' })
  expect(found.ok && found.rows.map(({ bytes, ranks: count, nodes }) => [bytes, count, nodes])).toEqual([
    [1048576, 8, 1],
    [16777216, 8, 1],
    [1073741824, 8, 1],
  ])
  expect(found.ok && found.rows[2]?.seconds['gpu-01']?.map((time) => time * 1e6)).toEqual([
    expect.closeTo(4012.6, 6),
    expect.closeTo(4010.1, 6),
  ])
})

test('nodes are identified by their hosts, and an unnamed all-reduce by its bus bandwidth', () => {
  const found = parseNcclTests(
    table(['gpu-01', 'gpu-02'], 8, REDUCED.replaceAll('31.42', '33.67').replaceAll('468.29', '501.73')),
    'out.log',
  )
  expect(found.ok && [found.name, found.rows[0]?.nodes, found.rows[0]?.ranks]).toEqual(['all-reduce', 2, 16])
})

test('an all-gather, without redop', () => {
  const rows = '     8388608        262144     float    none      -1    61.10  137.29  120.13      0    60.80  137.97  120.72      0'
  expect(parseNcclTests(table(['a'], 8, rows), 'all_gather_perf.out')).toMatchObject({ ok: true, name: 'all-gather' })
  expect(parseNcclTests(table(['a'], 8, rows), 'out.log')).toEqual({
    ok: false,
    reason: 'the collective is not named; keep the command line in the file, or name the file after the program',
  })
})

test('in-place columns that were not measured are left out', () => {
  const rows = '     8388608       1048576     float     sum      -1    61.10  137.29  240.25    N/A'
  const found = parseNcclTests(table(['a'], 8, rows), 'reduce_scatter_perf')
  expect(found.ok && found.rows.map(({ seconds }) => seconds['a']?.length)).toEqual([1])
})

test.each([
  ['no ranks', 'hello', 'no list of at least two ranks'],
  ['no table', table(['a'], 2, ''), 'no table row'],
  ['wrong results', table(['a'], 2, REDUCED.replace('31.42      0', '31.42      7')), '1 sizes gave wrong results'],
])('%s is refused', (_, text, reason) => {
  expect(parseNcclTests(text, 'all_reduce_perf')).toEqual({ ok: false, reason: expect.stringContaining(reason) })
})
