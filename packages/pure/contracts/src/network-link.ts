// The network between nodes as people write it: "400 Gb/s" and "ethernet-100" are what one accelerator has; "100 Gb/s per node" and
// "8 x infiniband-ndr-400 per node" are shared by the accelerators of a node.

import { parse } from '@ironlaw/units'
import type { ReadResult } from './training-size.ts'

export type NetworkLink = {
  readonly count: number
  /** Bytes per second and direction, or the id of a link of the catalog. */
  readonly of: { readonly bandwidth: number } | { readonly id: string }
  readonly per: 'accelerator' | 'node'
}

const FORM = /^(?:(\d+)\s*[x×]\s*)?(.+?)(?:\s+per\s+(accelerator|gpu|device|node|host|server))?$/i
const NODE = /node|host|server/i
const ID = /^(?:[a-z][\w.-]*|\d+gbe)$/i

const EXPECTED =
  'write for example "400 Gb/s" (per accelerator), "100 Gb/s per node", "8 x 400 Gb/s per node" or a link of the catalog such as ethernet-100'

/** No link takes more to write; longer text would only cost time. */
const LONGEST = 100

export function readLink(text: string): ReadResult<NetworkLink> {
  if (text.length > LONGEST) return { ok: false, reason: `"${text.slice(0, 20)}..." is no link; ${EXPECTED}` }
  const [, count = '1', what = '', of] = FORM.exec(text.trim()) ?? []
  const per = of === undefined || !NODE.test(of) ? 'accelerator' : 'node'
  if (Number(count) < 1) return { ok: false, reason: `"${text}" has no link; ${EXPECTED}` }
  if (count !== '1' && of === undefined)
    return { ok: false, reason: `"${text}" for each accelerator or each node? Write "${text} per node" or "${text} per accelerator"` }
  if (ID.test(what)) return { ok: true, value: { count: Number(count), of: { id: what }, per } }
  const parsed = parse(what, 'B/s')
  if (!parsed.ok) return { ok: false, reason: `${parsed.reason.split(';')[0]}; ${EXPECTED}` }
  if (parsed.value <= 0) return { ok: false, reason: `"${text}" must be more than zero` }
  return { ok: true, value: { count: Number(count), of: { bandwidth: parsed.value }, per } }
}
