// What no software can beat on a replica: weights are read once per pass at the memory's full rate, and a prompt's arithmetic runs at peak.
// An objective below its floor is refused with the floor's derivation.

import { accelerator as acceleratorOf, type Catalog, peak } from '@ironlaw/catalog'
import { explain } from '@ironlaw/laws'
import { inferenceFlops } from '@ironlaw/laws/compute/inference'
import { decodeBandwidthBound } from '@ironlaw/laws/decoding/decode'
import { overlapped } from '@ironlaw/laws/iron-law/iron-law'
import { parameterCounts } from '@ironlaw/models'
import { givenValue, type Known, sourcedValue } from '@ironlaw/units'
import type { ReplicaDesign } from './replica-design.ts'

export type Floors = { readonly ttft: Known<'s'>; readonly tpot: Known<'s'> }

export function floorsOf(catalog: Catalog, replica: ReplicaDesign, promptTokens: number): Floors {
  const { architecture, machine, precision, layout } = replica
  const device = acceleratorOf(catalog, machine.accelerator)
  const { activeComputing } = parameterCounts(architecture)
  // Stages of a pipeline work one after the other: they divide no pass.
  const devices = layout.tensor * layout.data
  const bytes = Math.min(precision.experts.bytes, precision.dense.bytes)
  const derived = { ref: 'from the model and the layout', asOf: '2026-11' }
  const weightBytes = sourcedValue((activeComputing * bytes) / devices, 'B', derived)
  const memoryBandwidth = device.facts.memory.bandwidth
  const flops = explain(inferenceFlops, {
    params: sourcedValue(activeComputing / devices, '1', derived),
    tokens: givenValue(promptTokens, 'token'),
  })
  const peakFlops = [peak(device, 'fp4'), peak(device, 'fp8'), peak(device, 'bf16'), peak(device, 'fp16')].find(
    (known, index) => known !== undefined && index >= FIRST_PEAK[precision.dense.curve],
  )
  return {
    ttft: explain(overlapped, {
      bytesMoved: weightBytes,
      memoryBandwidth,
      flops,
      peakFlops: peakFlops ?? givenValue(machine.peaks.bf16, 'FLOP/s'),
    }),
    tpot: explain(decodeBandwidthBound, { weightBytes, memoryBandwidth }),
  }
}

/** The fastest arithmetic a precision may use, as a place in the list above. */
const FIRST_PEAK = { nvfp4: 0, fp8: 1, 'fp8-block': 1, bf16: 2 } as const
