import { expect, test } from 'vitest'
import { isOnNodes, type NodeAddress } from './replica-address.ts'

const NAMES = new Map([
  ['n1', ['10.0.0.1']],
  ['n1.cluster', ['10.0.0.1']],
  ['n2', ['10.0.0.2']],
  ['mixed.evil', ['10.0.0.1', '10.9.9.9']],
  ['localhost', ['127.0.0.1', '::1']],
])
const resolve = async (host: string) => NAMES.get(host) ?? (/^[\d.]+$|:/.test(host) ? [host] : [])
const at = (places: readonly NodeAddress[]) => (url: string) => isOnNodes(url, places, resolve)

test.each([
  ['http://n1:8000', true],
  ['http://10.0.0.1:8000', true],
  ['http://n1.cluster:8000', true],
  ['http://n2:8000', false],
  ['http://10.9.9.9:80', false],
  ['http://mixed.evil:80', false],
  ['http://unknown.host:80', false],
  ['http://127.0.0.1:8000', false],
  ['http://169.254.169.254', false],
])('%s for a replica on n1: %s', async (url, isThere) => {
  expect(await at([{ name: 'n1' }])(url)).toBe(isThere)
})

test.each([
  ['http://127.0.0.1:8000', true],
  ['http://localhost:8000', true],
  ['http://[::1]:8000', true],
  ['http://10.9.9.9:80', false],
])('%s for a replica on a share of this machine: %s', async (url, isThere) => {
  expect(await at([{ name: 'n1', address: '127.0.0.1' }])(url)).toBe(isThere)
})
