import { expect, test } from 'vitest'
import { hostsIn } from './host-list.ts'

test.each([
  ['', []],
  ['n1', ['n1']],
  ['n[1-3]', ['n1', 'n2', 'n3']],
  ['n[1,3-4],login', ['n1', 'n3', 'n4', 'login']],
  ['gpu[08-10]', ['gpu08', 'gpu09', 'gpu10']],
  ['r[1-2]n[1-2]-ib', ['r1n1-ib', 'r1n2-ib', 'r2n1-ib', 'r2n2-ib']],
  ['a1,b[2-3],c', ['a1', 'b2', 'b3', 'c']],
])('%s', (list, hosts) => {
  expect(hostsIn(list)).toEqual(hosts)
})

test.each([
  ['a range of more hosts than memory holds', 'n[1-999999999]'],
  ['ranges whose product is', 'n[0-999][0-999]'],
  ['a range without numbers', 'n[a-b]'],
  ['a range without end, before one of more hosts than memory holds', 'n[1-]n[1-4294967296]'],
  ['a range that runs backwards', 'n[3-1]n[1-4294967296]'],
  ['an empty range', 'n[]'],
  ['a bracket that is not closed', 'n[1-3'],
  ['brackets without end', '['.repeat(60_000)],
  ['more dimensions than Slurm has', 'n[1]'.repeat(10_000)],
])('%s is taken for one name', (_, list) => {
  expect(hostsIn(list)).toEqual([list])
})
