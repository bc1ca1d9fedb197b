// For how long a checkpoint holds up training when it is written in the background: a fixed part, and the copy of a device's share to host
// memory. Both as this accelerator was measured with the SDK's own copy (`ironlaw calibrate`), else a published figure and an estimate.

import { type Catalog, lookup } from '@ironlaw/catalog'
import { type AssumedFigure, HOST_COPY, STAGING } from './assumed.ts'

type Staging = { readonly fixed: AssumedFigure; readonly copy: AssumedFigure }

type StagingNode = { readonly accelerator: string; readonly perNode: number }

export function stagingOf(catalog: Catalog, { accelerator, perNode }: StagingNode): Staging {
  const found = lookup(catalog, 'accelerators', accelerator)
  const measured = found.ok ? found.entry.facts.measured : undefined
  const shared = Object.entries(measured?.sharing ?? {}).find(([ranks]) => Number(ranks) === perNode)?.[1]
  if (!measured || !shared?.staging) return { fixed: STAGING, copy: HOST_COPY }
  const from = `measured on ${measured.on}, ${perNode} ${perNode === 1 ? 'rank' : 'ranks'} a node`
  return {
    fixed: { ...STAGING, value: shared.staging.start.value, from },
    copy: { ...HOST_COPY, value: shared.staging.bandwidth.value, from },
  }
}

type FigureValue = { readonly value: number }
type Figures = { readonly fixed: FigureValue; readonly copy: FigureValue }

/** `bytes` of one device. */
export const checkpointPause_s = ({ fixed, copy }: Figures, bytes: number): number => fixed.value + bytes / copy.value
