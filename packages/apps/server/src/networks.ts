// Addresses and networks as a flag gives them.

import { isIP } from 'node:net'
import { IronlawError } from '@ironlaw/contracts'

const BITS = { 4: 32, 6: 128 } as const

export function readNetworks(text: string): readonly string[] {
  const networks = text.split(',').flatMap((each) => each.trim() || [])
  const wrong = networks.find((each) => !isNetwork(each))
  if (wrong !== undefined)
    throw new IronlawError('IL_USAGE', {
      problem: `--trusted-proxy ${wrong}: expected addresses or networks such as 10.0.0.5,192.0.2.0/24`,
      command: 'up',
    })
  return networks
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const version = isIP(address)
  if (version !== 4 && version !== 6) return false
  return more.length === 0 && (text.includes('/') ? /^\d{1,3}$/.test(bits) && Number(bits) <= BITS[version] : true)
}
