// A machine as `ironlaw calibrate` found it, in place of published curves: measured costs become curves of the same form with their shape
// terms at rest, and what finished runs showed is multiplied on, class by class. What was not measured stays as it was.

import type { Accelerator } from '@ironlaw/catalog'
import type { WorkClass } from '@ironlaw/contracts'
import { type Fabric, LINK_ALPHA, LINK_EFFICIENCY, PORT_EFFICIENCY } from './fabric.ts'
import { ATTENTION_BACKWARD, type Engine, VECTOR_EFFICIENCY } from './kernels.ts'
import type { CollectiveCurve, CollectiveName, GemmCurve, Silicon } from './silicon.ts'
import type { Machine } from './machine.ts'
import type { Runtime } from '../training/time/runtime.ts'

type MeasuredFacts = NonNullable<Accelerator['facts']['measured']>
type SharedNode = NonNullable<NonNullable<MeasuredFacts['sharing']>['1']>
type Factors = Readonly<Record<WorkClass, number>>

/** Software that runs operator by operator, as the measuring program does; the rest fuses, and its passes are its own. */
const EAGER: ReadonlySet<string> = new Set(['fsdp-eager', 'megatron-deepspeed', 'megatron-deepspeed-bf16'])

/** Bytes that the planner's account moves per element of an FP32 AdamW step, norm and clipping included. */
const UPDATE_BYTES = 36
/** Far above any memory: a part that the fit found to cost nothing. */
const COSTLESS_RATE = 1e6

/** The count that was measured, or the next above it, or the largest. */
function nearestCount<T>(
  by: Readonly<Partial<Record<string, T>>> | undefined,
  count: number,
): { readonly at: number; readonly found: T } | undefined {
  const known = Object.entries(by ?? {})
    .flatMap(([at, found]) => (found === undefined ? [] : [{ at: Number(at), found }]))
    .toSorted((a, b) => a.at - b.at)
  return known.find(({ at }) => at >= count) ?? known.at(-1)
}

export function measuredMachine(machine: Machine, device: Accelerator, elementBytes: number): Machine {
  const { measured } = device.facts
  if (!measured) return machine
  const ranks = machine.fabric.perNode
  const node = measured.element === undefined || measured.element.value === elementBytes ? nearestCount(measured.sharing, ranks) : undefined
  const corrected = nearestCount(measured.corrections, ranks)
  const factor = (name: WorkClass): number => corrected?.found[name]?.factor.value ?? 1
  const factors = { compute: factor('compute'), communication: factor('communication'), optimizer: factor('optimizer') }
  const spread = (name: WorkClass): number | undefined => corrected?.found[name]?.spread.value ?? node?.found.uncertainty?.[name]?.value
  const based = node ? withNodeMeasurements(machine, { node: node.found, measured }) : machine
  const result = withFactors(based, factors)
  return {
    ...result,
    silicon: {
      ...result.silicon,
      measured: {
        note: noteOf(device.id, { measured, ranks: node?.at, runs: corrected?.found.compute?.runs.value }),
        corrections: factors,
        spread: { compute: spread('compute'), communication: spread('communication'), optimizer: spread('optimizer') },
        runs: corrected?.found.compute?.runs.value ?? 0,
      },
    },
  }
}

type NoteInputs = { readonly measured: MeasuredFacts; readonly ranks: number | undefined; readonly runs: number | undefined }

function noteOf(id: string, { measured, ranks, runs }: NoteInputs): string {
  const sources = Object.values(measured.sharing ?? {}).flatMap((node) => [node?.products?.start.by, node?.copy?.by])
  const dated = sources.find((by) => by?.kind === 'source')
  const when = dated?.kind === 'source' ? `, ${dated.asOf}` : ''
  return [
    `${id} as measured on ${measured.on}${when}`,
    ...(ranks === undefined ? [] : [ranks === 1 ? 'one rank on a node' : `${ranks} ranks sharing a node`]),
    ...(runs === undefined ? [] : [`corrected by ${runs} finished ${runs === 1 ? 'run' : 'runs'}`]),
  ].join(', ')
}

function withNodeMeasurements(
  machine: Machine,
  { node, measured }: { readonly node: SharedNode; readonly measured: MeasuredFacts },
): Machine {
  const { silicon } = machine
  const bandwidth =
    (node.optimizer ? node.optimizer.value * UPDATE_BYTES : (node.copy?.value ?? machine.engine.bandwidth)) / VECTOR_EFFICIENCY
  const engine = { ...machine.engine, bandwidth, processors: measured.processors?.value ?? machine.engine.processors }
  const products = productsOf(node, engine, measured)
  const own = products ? { ...engine, ...products.engine } : engine
  const kernels = products ? { gemm: { ...silicon.gemm, [machine.curve]: products.curve }, ...attentionOf(node, own) } : {}
  const fabric = fabricOf(machine.fabric, measured)
  return {
    ...machine,
    engine: own,
    runtime: runtimeOf(machine.runtime, { node, bandwidth }),
    silicon: {
      ...silicon,
      ...kernels,
      borrowed: products ? false : silicon.borrowed,
      accelerator: `${silicon.accelerator}, measured on ${measured.on}`,
    },
    fabric,
  }
}

type Products = { readonly curve: GemmCurve; readonly engine: Pick<Engine, 'peak' | 'attentionPeak'> }

function productsOf({ products }: SharedNode, { bandwidth }: Engine, { element }: MeasuredFacts): Products | undefined {
  if (!products?.rate) return undefined
  const bytes = element?.value ?? 2
  return {
    engine: { peak: products.rate.value, attentionPeak: products.rate.value },
    curve: {
      start_s: products.start.value,
      compute: 1,
      memory: products.bandwidth ? products.bandwidth.value / bandwidth : COSTLESS_RATE,
      sharpness: 1,
      narrow: 0,
      ramp: products.ramp?.value ?? 0,
      wave: 0,
      weightBytes: bytes,
      activationBytes: bytes,
    },
  }
}

/** Both passes together take what was measured; how the planner divides them between forward and backward is its own. */
function attentionOf(
  { attention }: SharedNode,
  { bandwidth, attentionPeak }: Engine,
): Pick<Silicon, 'attention' | 'generation'> | undefined {
  if (!attention) return undefined
  const both = (1 + (attention.backward?.value ?? ATTENTION_BACKWARD)) / (1 + ATTENTION_BACKWARD)
  const compute = (attention.rate ? attention.rate.value / attentionPeak : COSTLESS_RATE) / both
  return {
    // Newer generations price FlashAttention-2 above their curve; this curve is of the kernel that ran.
    generation: 'ampere',
    attention: {
      bf16: {
        start_s: attention.start.value * both,
        memory: (attention.bandwidth ? attention.bandwidth.value / bandwidth : COSTLESS_RATE) / both,
        ramp: 0,
        wave: 0,
        under: 0,
        compute: { '64': compute, '128': compute, '256': compute },
      },
    },
  }
}

function runtimeOf(runtime: Runtime, { node, bandwidth }: { readonly node: SharedNode; readonly bandwidth: number }): Runtime {
  if (!EAGER.has(runtime.name)) return runtime
  return {
    ...runtime,
    ...(node.vector && { vectorPasses: (bandwidth * VECTOR_EFFICIENCY) / node.vector.value }),
    ...(node.launch && { launchForward_s: node.launch.forward.value, launchBackward_s: node.launch.backward.value }),
  }
}

/** Sizes for which the planner keeps curves inside a node. */
const SIZES = [2, 4, 8] as const
const NAMES = ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all'] as const satisfies readonly CollectiveName[]

function fabricOf(fabric: Fabric, { sharing, across, nodeSpread }: MeasuredFacts): Fabric {
  const inside = Object.fromEntries(
    Object.entries(sharing ?? {}).flatMap(([count, node]) => (node?.collectives ? [[count, node.collectives]] : [])),
  )
  const collectives = Object.fromEntries(
    NAMES.map((name) => {
      const named = Object.fromEntries(Object.entries(inside).map(([count, all]) => [count, all[name]]))
      const curves = SIZES.flatMap((size) => {
        const curve = nearestCount(named, size)
        return curve ? [[String(size), collectiveCurve(curve.found)]] : []
      })
      return [name, curves.length > 0 ? Object.fromEntries(curves) : (fabric.silicon.collectives[name] ?? {})]
    }),
  )
  const widest = nearestCount(across, Infinity)
  const reduced = widest?.found['all-reduce']
  const port =
    widest && reduced
      ? {
          portBandwidth: reduced.bus.value / (fabric.perNode * PORT_EFFICIENCY),
          portLatency: Math.max(0, reduced.alpha.value - LINK_ALPHA) / (2 * Math.log2(widest.at)),
        }
      : {}
  const linkBandwidth = Math.max(fabric.linkBandwidth, (reduced?.bus.value ?? 0) / LINK_EFFICIENCY)
  return {
    ...fabric,
    ...port,
    linkBandwidth,
    ...(nodeSpread && { nodeSpread: nodeSpread.value }),
    silicon: {
      ...fabric.silicon,
      collectives: { ...fabric.silicon.collectives, ...collectives },
      // Curves that were measured here hold for this link as it is.
      ...(Object.keys(inside).length > 0 && { reference: { ...fabric.silicon.reference, link_bytes_per_s: linkBandwidth } }),
    },
  }
}

type FittedCollective = { readonly alpha: { readonly value: number }; readonly bus: { readonly value: number } }

const collectiveCurve = ({ alpha, bus }: FittedCollective): CollectiveCurve => ({
  alpha_s: alpha.value,
  beta_bytes_per_s: bus.value,
  ramp_s_per_root_byte: 0,
})

/** Every time of a class multiplied by its factor. Elementwise work and the optimizer share the memory's bandwidth; passes tell them apart. */
function withFactors(machine: Machine, { compute, communication, optimizer }: Factors): Machine {
  if (compute === 1 && communication === 1 && optimizer === 1) return machine
  const { engine, silicon, fabric, runtime } = machine
  const memory = optimizer / compute
  const slowedCurves = <C extends { readonly start_s: number; readonly memory: number }>(
    curves: Readonly<Record<string, C>>,
  ): Record<string, C> =>
    Object.fromEntries(
      Object.entries(curves).map(([name, curve]) => [name, { ...curve, start_s: curve.start_s * compute, memory: curve.memory * memory }]),
    )
  const collectives = Object.fromEntries(
    Object.entries(fabric.silicon.collectives).map(([name, bySize]) => [
      name,
      Object.fromEntries(Object.entries(bySize).map(([size, curve]) => [size, slowedExchange(curve, communication)])),
    ]),
  )
  return {
    ...machine,
    engine: {
      ...engine,
      peak: engine.peak / compute,
      attentionPeak: engine.attentionPeak / compute,
      bandwidth: engine.bandwidth / optimizer,
    },
    silicon: { ...silicon, gemm: slowedCurves(silicon.gemm), attention: slowedCurves(silicon.attention) },
    runtime: {
      ...runtime,
      vectorPasses: (runtime.vectorPasses * compute) / optimizer,
      launchForward_s: runtime.launchForward_s * compute,
      launchBackward_s: runtime.launchBackward_s * compute,
    },
    fabric: {
      ...fabric,
      portBandwidth: fabric.portBandwidth / communication,
      portLatency: fabric.portLatency * communication,
      silicon: { ...fabric.silicon, collectives },
    },
  }
}

const slowedExchange = (curve: CollectiveCurve, by: number): CollectiveCurve => ({
  alpha_s: curve.alpha_s * by,
  beta_bytes_per_s: curve.beta_bytes_per_s / by,
  ramp_s_per_root_byte: curve.ramp_s_per_root_byte * by,
})
