// The machine a job runs on, from the catalog: rates of the accelerator in the job's precision, links inside and between nodes, and the
// silicon curves behind both.

import { type Accelerator, accelerator as acceleratorOf, type Catalog, peak, precisions, usableMemory } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { siliconOf, USUAL_SUSTAINED } from './silicon.ts'
import { measuredMachine } from './measured-silicon.ts'
import { hostOf } from './host.ts'
import type { Machine } from './machine.ts'
import type { PrecisionPolicy } from '../training/memory/precision.ts'
import type { Runtime } from '../training/time/runtime.ts'

export type MachineChoice = {
  readonly accelerator: string
  readonly policy: PrecisionPolicy
  readonly runtime: Runtime
  /** Devices per node, or per rack where one link joins them all. */
  readonly perNode?: number
  /** Bytes per second, one direction, per device, between nodes. */
  readonly portBandwidth?: number
  /** Memory that differs from the catalog's. */
  readonly bandwidth?: number
  /** A power cap below the catalog's figure, in watts. */
  readonly power?: number
}

export const USUAL_PER_NODE = 8
/** 400 Gb/s per device: what training clusters since 2022 have. */
export const USUAL_PORT = 50e9
const PORT_LATENCY = 12e-6
/** Calibration rows cannot tell it from the rest; a prior: nodes of one cluster differ by a per cent or so. */
const NODE_SPREAD = 0.012
/** Rate of the matrix units against a power cap: between the square root and the cube root, as dynamic power goes with clock and voltage. */
const POWER_EXPONENT = 0.45
/** A PCIe 5 slot, for accelerators without a link of their own. */
const SLOT = 32e9

/** FlashAttention needs Ampere; older devices run xformers' CUTLASS kernels. An estimate: half of the rate. */
const BEFORE_FLASH = { year: 2020, rate: 0.5 }
/**
 * Share of the slot's rate that a collective gets. GeForce cards have no peer access over PCI Express: every message goes through host memory, in and out.
 * Professional cards have it and share the root complex of their socket. Estimates: nothing published tells them for eight cards at once.
 */
const SHARED_SLOT = { geforce: 0.35, professional: 0.6 }

function linkOf({ name, facts: { link } }: Accelerator): number {
  const rate = link?.bandwidth.value ?? SLOT
  if (link !== undefined && !link.id.startsWith('pcie')) return rate
  return rate * (name.includes('GeForce') ? SHARED_SLOT.geforce : SHARED_SLOT.professional)
}

export function machineFor(catalog: Catalog, choice: MachineChoice): Machine {
  const device = acceleratorOf(catalog, choice.accelerator)
  const silicon = siliconOf(device.id)
  const half = peak(device, 'bf16') ?? peak(device, 'fp16')
  const { compute } = choice.policy
  const curve = compute === 'fp8' || compute === 'fp4' ? compute : 'bf16'
  const rate = peak(device, compute) ?? (curve === 'bf16' ? half : undefined)
  // Four bits change how kernels behave too much for the curve of another precision.
  const missing = !rate ? 'published dense peak' : curve === 'fp4' && !silicon.gemm['fp4'] ? 'measured kernel' : undefined
  if (!rate || missing !== undefined)
    throw new IronlawError(
      'IL_FACT',
      { file: device.id, path: 'peaks', problem: `no ${missing} in ${compute}` },
      { next: `choose another precision (${device.id} has ${precisions(device).join(', ')}) or another accelerator` },
    )
  const capped = choice.power === undefined ? 1 : Math.min(1, choice.power / device.facts.tdp.value) ** POWER_EXPONENT
  const sustained = {
    bf16: silicon.sustained.bf16 * capped,
    fp8: silicon.sustained.fp8 * capped,
    fp4: (silicon.sustained.fp4 ?? USUAL_SUSTAINED) * capped,
  }
  const published: Machine = {
    silicon: { ...silicon, sustained },
    runtime: choice.runtime,
    host: hostOf(catalog, device),
    curve,
    engine: {
      peak: rate.value * sustained[curve],
      attentionPeak: (half?.value ?? rate.value) * sustained.bf16 * (device.facts.year < BEFORE_FLASH.year ? BEFORE_FLASH.rate : 1),
      bandwidth: choice.bandwidth ?? device.facts.memory.bandwidth.value,
      processors: silicon.processors,
    },
    fabric: {
      perNode: choice.perNode ?? USUAL_PER_NODE,
      silicon,
      linkBandwidth: linkOf(device),
      portBandwidth: choice.portBandwidth ?? USUAL_PORT,
      portLatency: PORT_LATENCY,
      nodeSpread: NODE_SPREAD,
    },
  }
  return measuredMachine(published, device, choice.policy.activation)
}

export const memoryLimit = (catalog: Catalog, accelerator: string): number => usableMemory(acceleratorOf(catalog, accelerator)).value
