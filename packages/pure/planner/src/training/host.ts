// What one device has of the host it sits in: the way to it, its memory, and a drive. Decides what offloading costs.

import { type Accelerator, type Catalog, entry } from '@ironlaw/catalog'

export type Host = {
  /** Bytes per second, per device and direction. */
  readonly linkBandwidth: number
  /** A device's share of what the processors of its host stream. */
  readonly memoryBandwidth: number
  readonly driveRead: number
  readonly driveWrite: number
}

/** Share of the peak that a processor streams from its memory. */
const STREAM = 0.8
/** Two sockets of eight channels for eight devices: DDR4-3200 until 2021, DDR5-4800 from then on (Intel and AMD server processors). */
const DDR4 = (2 * 8 * 25.6e9) / 8
const DDR5 = (2 * 8 * 38.4e9) / 8
/** Grace: 900 GB/s of NVLink-C2C in both directions together and 512 GB/s of LPDDR5X, for the devices of one superchip (NVIDIA Grace whitepaper, 2023). */
const GRACE = { link: 450e9, memory: 512e9 }
/** Devices per Grace. */
const SUPERCHIPS: Readonly<Record<string, number>> = { gb200: 2, gb300: 2 }

export function hostOf(catalog: Catalog, { id, facts }: Accelerator): Host {
  const { read, write } = entry(catalog, 'storage', 'local-nvme').facts.perClient
  const drive = { driveRead: read.value, driveWrite: write.value }
  const sharing = SUPERCHIPS[id]
  if (sharing !== undefined) return { linkBandwidth: GRACE.link / sharing, memoryBandwidth: (GRACE.memory * STREAM) / sharing, ...drive }
  const slot = entry(catalog, 'links', slotOf(facts)).facts
  const memory = facts.year < 2022 ? DDR4 : DDR5
  return { linkBandwidth: slot.perDirection.value * (slot.achievable?.value ?? 1), memoryBandwidth: memory * STREAM, ...drive }
}

/** The slot that the device is sold for, or the usual one of its year. */
function slotOf({ link, year }: Accelerator['facts']): string {
  if (link?.id.startsWith('pcie') === true) return link.id
  return year < 2020 ? 'pcie-3-x16' : year < 2022 ? 'pcie-4-x16' : 'pcie-5-x16'
}
