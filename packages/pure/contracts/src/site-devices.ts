// What a site says of its accelerators, as its administrator writes it. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import type { SiteDevice } from './devices.ts'

const GB = 1e9

const DEVICE = z.strictObject({
  gres: z
    .string()
    .regex(/^[A-Za-z]\w*(?::[\w.-]+)?$/, 'expected a name such as gpu:h100')
    .describe('The name that Slurm counts them by: name, or name:type'),
  constraint: z.string().min(1).exactOptional().describe('Features that are requested with them'),
  partition: z.string().min(1).exactOptional().describe('Their partition, if not the default one'),
  memory_GB: z.number().positive().exactOptional().describe('Memory of one accelerator, for requests by capability'),
  link_domain: z.int().positive().exactOptional().describe('Number of accelerators joined by fast links, for requests by capability'),
})

/** By the catalog's id, or any name that specs use. */
export const SITE_DEVICES = z.record(z.string().min(1), DEVICE)

export const siteDevicesOf = (written: z.infer<typeof SITE_DEVICES>): readonly SiteDevice[] =>
  Object.entries(written).map(([name, { gres, constraint, partition, memory_GB, link_domain }]) => ({
    name,
    kind: gres,
    ...(constraint !== undefined && { constraint }),
    ...(partition !== undefined && { partition }),
    ...(memory_GB !== undefined && { memory_bytes: memory_GB * GB }),
    ...(link_domain !== undefined && { linkDomain: link_domain }),
  }))
