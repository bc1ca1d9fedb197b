// How often which part of a fleet fails, from the catalog's failure records. Rates of Llama 3 are per accelerator because the paper
// counts interruptions of one job and not parts; the switch is Alibaba's, per switch.

import { type Catalog, entry } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import type { Component, Scope } from '../training/campaign.ts'
import { CORRUPTION_FOUND, DETECTION, NETWORK_REPAIR, NODE_REPAIR } from './assumed.ts'

type ComponentKind = {
  readonly name: string
  readonly records: readonly string[]
  readonly scope: Scope
  readonly repair_s: number
  readonly silent?: true
}

const KINDS: readonly ComponentKind[] = [
  {
    name: 'gpu',
    records: ['llama3-gpu', 'llama3-gpu-sram', 'llama3-gpu-processor'],
    scope: 'accelerator',
    repair_s: NODE_REPAIR.value,
  },
  { name: 'hbm', records: ['llama3-hbm'], scope: 'accelerator', repair_s: NODE_REPAIR.value },
  { name: 'nic', records: ['llama3-nic'], scope: 'accelerator', repair_s: NODE_REPAIR.value },
  { name: 'network link', records: ['llama3-network'], scope: 'accelerator', repair_s: NETWORK_REPAIR.value },
  { name: 'switch', records: ['hpn-tor-switch'], scope: 'switch', repair_s: NETWORK_REPAIR.value },
  {
    name: 'host',
    records: ['llama3-host', 'llama3-cpu', 'llama3-memory', 'llama3-psu', 'llama3-ssd'],
    scope: 'accelerator',
    repair_s: NODE_REPAIR.value,
  },
  { name: 'software', records: ['llama3-software'], scope: 'accelerator', repair_s: 0 },
  { name: 'silent corruption', records: ['llama3-silent-corruption'], scope: 'accelerator', repair_s: NODE_REPAIR.value, silent: true },
]

function rateOf(catalog: Catalog, record: string): number {
  const rate = entry(catalog, 'failures', record).facts.rate?.value
  if (rate === undefined) throw new IronlawError('IL_FACT', { file: 'catalog', path: `failures.${record}.rate`, problem: 'missing' })
  return rate
}

export const componentsOf = (catalog: Catalog): Component[] =>
  KINDS.map(({ name, records, scope, repair_s, silent }) => ({
    name,
    scope,
    mtbf_s: 1 / records.reduce((sum, record) => sum + rateOf(catalog, record), 0),
    detect_s: silent ? CORRUPTION_FOUND.value : DETECTION.value,
    repair_s,
    ...(silent && { silent }),
  }))

export const COMPONENTS_FROM =
  'Llama Team 2024, Table 5 (arXiv:2407.21783), interruptions per accelerator and day; switches: Qian et al. 2024 (Alibaba HPN)'
