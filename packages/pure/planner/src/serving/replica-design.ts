// One copy of a served model: what is served, in which precision, on which devices, by which engine, divided how.

import { accelerator as acceleratorOf, type Catalog, peak, usableMemory } from '@ironlaw/catalog'
import type { Architecture } from '@ironlaw/models'
import { type Host, hostOf } from '../machine/host.ts'
import type { Fabric } from '../machine/fabric.ts'
import type { Engine } from '../machine/kernels.ts'
import { nodeShape } from '../machine/node-shape.ts'
import type { AttentionCurve } from '../machine/silicon.ts'
import { type CurveName, type ServingCurves, servingSilicon } from './curves.ts'
import type { EngineRuntime } from './engine-runtime.ts'
import type { Rates } from './kernel-times.ts'
import type { Layout } from './layout.ts'
import type { Adapters, Offload, Speculation } from './mechanisms.ts'
import type { CachePrecision, ServingPrecision } from './precision.ts'

/** The devices of a deployment as the predictions see them. */
export type ServingMachine = {
  readonly accelerator: string
  readonly vendor: string
  readonly borrowed: boolean
  readonly curves: ServingCurves
  readonly attention: Readonly<Record<string, AttentionCurve>>
  readonly peaks: Readonly<Record<CurveName, number>>
  readonly bandwidth: number
  readonly processors: number
  readonly memory_bytes: number
  readonly fabric: Fabric
  /** Devices that one operating system holds; `fabric.perNode` are joined by fast links. */
  readonly perHost: number
  readonly host: Host
}

export type ReplicaDesign = {
  readonly architecture: Architecture
  readonly machine: ServingMachine
  readonly precision: ServingPrecision
  readonly cache: CachePrecision
  readonly runtime: EngineRuntime
  readonly layout: Layout
  /** None when left out. */
  readonly speculation?: Speculation
  readonly adapters?: Adapters
  readonly offload?: Offload
}

export type ServingMachineChoice = {
  readonly accelerator: string
  /** As the catalog's node has them when left out, and likewise the port. */
  readonly perNode?: number
  /** Bytes per second, one direction, per device, between nodes. */
  readonly portBandwidth?: number
}

const USUAL_PER_NODE = 8
/** 400 Gb/s per device. */
const USUAL_PORT = 50e9
const PORT_LATENCY = 12e-6
/** A PCIe 5 slot, for accelerators without a link of their own. */
const SLOT = 32e9

/** A measured accelerator runs at the peaks its curves were fitted to, another one at its own. */
export function servingMachine(catalog: Catalog, { accelerator, perNode, portBandwidth }: ServingMachineChoice): ServingMachine {
  const device = acceleratorOf(catalog, accelerator)
  const shape = nodeShape(catalog, device.id)
  const { silicon, reference, curves } = servingSilicon(device.id)
  const half = (peak(device, 'bf16') ?? peak(device, 'fp16'))?.value ?? 0
  const eight = (peak(device, 'fp8') ?? peak(device, 'int8'))?.value ?? half
  const four = peak(device, 'fp4')?.value ?? eight
  const own = !silicon.borrowed
  const rate = (fitted: number, published: number): number => (own && fitted > 0 ? fitted : published)
  return {
    accelerator: device.id,
    vendor: device.facts.vendor,
    borrowed: silicon.borrowed,
    curves,
    attention: silicon.attention,
    peaks: {
      bf16: rate(reference.bf16_flop_per_s, half),
      fp8: rate(reference.fp8_flop_per_s, eight),
      'fp8-block': rate(reference.fp8_flop_per_s, eight),
      nvfp4: rate(reference.fp4_flop_per_s, four),
    },
    bandwidth: rate(reference.bandwidth_bytes_per_s, device.facts.memory.bandwidth.value),
    processors: silicon.processors,
    memory_bytes: usableMemory(device).value,
    fabric: {
      perNode: perNode ?? shape?.joined ?? USUAL_PER_NODE,
      silicon,
      linkBandwidth: device.facts.link?.bandwidth.value ?? SLOT,
      portBandwidth: portBandwidth ?? (shape && shape.portBandwidth > 0 ? shape.portBandwidth : USUAL_PORT),
      portLatency: PORT_LATENCY,
      nodeSpread: 0,
    },
    host: hostOf(catalog, device),
    perHost: shape?.perHost ?? perNode ?? USUAL_PER_NODE,
  }
}

export const ratesOf = ({ peaks, bandwidth, processors }: ServingMachine, curve: CurveName): Rates => ({
  peak: peaks[curve],
  bandwidth,
  processors,
})

export const engineOf = ({ peaks, bandwidth, processors }: ServingMachine): Engine => ({
  peak: peaks.bf16,
  attentionPeak: peaks.bf16,
  bandwidth,
  processors,
})
