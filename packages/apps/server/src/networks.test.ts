import { expect, test } from 'vitest'
import { readNetworks } from './networks.ts'

test('addresses and networks, with commas between them', () => {
  expect(readNetworks('')).toEqual([])
  expect(readNetworks('10.0.0.5, 192.0.2.0/24,fd00::/8')).toEqual(['10.0.0.5', '192.0.2.0/24', 'fd00::/8'])
})

test.each(['proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'true'])('%s is refused', (text) => {
  expect(() => readNetworks(text)).toThrow(`--trusted-proxy ${text}: expected addresses`)
})
