// What a job requests on each node in addition to its processes: accelerators, memory, features, closeness.

import type { DeviceRequest, RunShape, SiteDevice } from '@ironlaw/contracts'
import type { JobSpec } from '@ironlaw/executors'
import { isCapable } from '@ironlaw/policies/run'

/** The longest that Slurm waits for better connected nodes where nothing else is configured (max_switch_wait). */
const SWITCH_WAIT_S = 300

type Resources = Pick<RunShape, 'devices' | 'cpusPerProcess' | 'memory_bytes' | 'constraint' | 'switches'>

/** With `kind`, accelerators of that name, and what the site says has to be requested with them. */
export function resourcesOf(
  { accelerators = [] }: { readonly accelerators?: readonly SiteDevice[] },
  wanted: Resources,
  kind: string | undefined,
): Partial<JobSpec> {
  const { devices, cpusPerProcess, memory_bytes, switches } = wanted
  const known = devices && kind !== undefined ? siteDevice(accelerators, devices, kind) : undefined
  const constraints = [wanted.constraint, known?.constraint].filter((each) => each !== undefined)
  return {
    ...(devices && kind !== undefined && { devices: { kind, perNode: devices.perNode } }),
    ...(cpusPerProcess !== undefined && { cpusPerProcess }),
    ...(memory_bytes !== undefined && { memory_bytes }),
    ...(constraints.length > 0 && { constraint: constraints.map((each) => (constraints.length > 1 ? `(${each})` : each)).join('&') }),
    ...(switches !== undefined && { switches: { most: switches, wait_s: SWITCH_WAIT_S } }),
    ...(known?.partition !== undefined && { partition: known.partition }),
  }
}

/** One kind of the cluster may stand for several names, as for two sizes of memory: the one that was named counts, else one that suffices. */
function siteDevice(site: readonly SiteDevice[], { kinds, orAtLeast }: DeviceRequest, kind: string): SiteDevice | undefined {
  const same = site.filter((device) => device.kind === kind)
  return same.find(({ name }) => kinds.includes(name)) ?? same.find((device) => isCapable(device, orAtLeast)) ?? same[0]
}
