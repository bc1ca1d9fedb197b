// What one device has of the host it sits in: the way to it, its memory, and a drive. Decides what offloading costs.

import { type Accelerator, type Catalog, entry } from '@ironlaw/catalog'

export type Host = {
  /** Bytes per second, per device and direction. */
  readonly linkBandwidth: number
  /** A device's share of what the processors of its host stream. */
  readonly memoryBandwidth: number
  /** A device's share of the host's memory, in bytes; absent where the catalog knows no node with the device. */
  readonly memory?: number
  readonly driveRead: number
  readonly driveWrite: number
}

/**
 * Share of the peak that a processor streams from its memory. STREAM reaches 0.8 to 0.95 on Grace (410 to 486 GB/s of 512, NVIDIA Grace
 * performance tuning guide, 2024), and about 0.8 on x86 servers; the lower end, as an update reads and writes six streams.
 */
const STREAM = 0.8
/**
 * Two sockets of eight channels for eight devices. DGX A100 (datasheet, 2020): two EPYC 7742, DDR4-3200. DGX H100 (user guide, 2023): two Xeon
 * 8480C, DDR5-4800. An assumption for other servers: with twelve channels, as AMD's since 2022, or DDR5-5600 it is 1.2 to 1.5 times as much.
 */
const DDR4 = (2 * 8 * 25.6e9) / 8
const DDR5 = (2 * 8 * 38.4e9) / 8
/** Grace: 900 GB/s of NVLink-C2C in both directions together (Grace whitepaper, 2023) and 512 GB/s of LPDDR5X (GB200 NVL72 datasheet, 2024: 18.4 TB/s for 36). */
const GRACE = { link: 450e9, memory: 512e9 }
/** Devices per Grace. */
const SUPERCHIPS: Readonly<Record<string, number>> = { gb200: 2, gb300: 2 }
/** Share of a host's memory that a job may take: the rest is the system's, data loading's and pinned buffers'. An assumption, 0.7 to 0.9. */
const USABLE = 0.8

export function hostOf(catalog: Catalog, { id, facts }: Accelerator): Host {
  const { read, write } = entry(catalog, 'storage', 'local-nvme').facts.perClient
  const memory = hostMemory(catalog, id)
  const rest = { driveRead: read.value, driveWrite: write.value, ...(memory !== undefined && { memory }) }
  const sharing = SUPERCHIPS[id]
  if (sharing !== undefined) return { linkBandwidth: GRACE.link / sharing, memoryBandwidth: (GRACE.memory * STREAM) / sharing, ...rest }
  const slot = entry(catalog, 'links', slotOf(facts)).facts
  const streamed = (facts.year < 2022 ? DDR4 : DDR5) * STREAM
  return { linkBandwidth: slot.perDirection.value * (slot.achievable?.value ?? 1), memoryBandwidth: streamed, ...rest }
}

/** Of the nodes that the catalog has, the one whose host has most for a device: a plan is refused only where no host would do. */
function hostMemory(catalog: Catalog, accelerator: string): number | undefined {
  const shares = [...catalog.nodes.values()].flatMap(({ facts }) =>
    facts.accelerator === accelerator && facts.hostMemory ? [facts.hostMemory.value / facts.accelerators.value] : [],
  )
  return shares.length === 0 ? undefined : USABLE * Math.max(...shares)
}

/** The slot that the device is sold for, or the usual one of its year. */
function slotOf({ link, year }: Accelerator['facts']): string {
  if (link?.id.startsWith('pcie') === true) return link.id
  return year < 2020 ? 'pcie-3-x16' : year < 2022 ? 'pcie-4-x16' : 'pcie-5-x16'
}
