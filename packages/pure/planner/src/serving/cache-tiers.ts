// Where the keys and values of prompts that come back are found: on the device, in the host's memory, on its drive. By Little's law a replica
// must keep the new tokens of as many requests as it takes until a prompt returns; what its tiers do not hold is computed again. What they
// hold outside the device is read through the device's link to its host, or as fast as the drive reads.

import type { PreparedReplica } from './prepared-replica.ts'
import type { Lengths } from './steady-state.ts'

export type TierLoad = Lengths & { readonly cached: number; readonly requests_per_s: number; readonly decoding: number }

export type CacheTiers = {
  /** Of the prompt's tokens, those that are found. */
  readonly cached: number
  /** Of what returns, by where it is found. */
  readonly device: number
  readonly host: number
  readonly drive: number
  /** Reading a prompt's keys and values, before it starts. */
  readonly load_s: number
  /** Requests a second that the way to the host and the drive let through. */
  readonly limit_per_s: number
  /** Bytes of one device a request that come from the host or the drive, those from the drive, and those that go there. */
  readonly read_bytes: number
  readonly drive_bytes: number
  readonly written_bytes: number
}

/** Undefined without offloading: all that the spec calls cached is found on the device. */
export function cacheTiers({ replica, memory }: PreparedReplica, load: TierLoad): CacheTiers | undefined {
  const { offload, layout, machine } = replica
  if (!offload) return undefined
  const { input, output, cached, requests_per_s, decoding } = load
  const written = input * (1 - cached) + output
  const needed = requests_per_s * offload.reuseAfter_s * written
  const tokensIn = (bytes: number): number => (bytes / memory.token_bytes) * layout.data
  const idle = Math.max(0, memory.tokens - decoding * (input + output / 2))
  const share = (tokens: number, left: number): number => (needed === 0 ? left : Math.min(left, tokens / needed))
  const device = share(idle, 1)
  const host = share(tokensIn(offload.host_bytes), 1 - device)
  const drive = share(tokensIn(offload.drive_bytes), 1 - device - host)
  const { linkBandwidth, driveRead, driveWrite } = machine.host
  const returning = input * cached * memory.token_bytes
  const read_bytes = returning * (host + drive)
  const drive_bytes = returning * drive
  const written_bytes = written * memory.token_bytes
  const toDrive = offload.drive_bytes > 0 ? written_bytes / driveWrite : 0
  // Both directions of the link work at once.
  const busy_s = Math.max(read_bytes / linkBandwidth, written_bytes / linkBandwidth, drive_bytes / driveRead, toDrive)
  return {
    cached: cached * (device + host + drive),
    device,
    host,
    drive,
    load_s: (returning * host) / linkBandwidth + drive_bytes / Math.min(driveRead, linkBandwidth),
    limit_per_s: layout.data / busy_s,
    read_bytes,
    drive_bytes,
    written_bytes,
  }
}
