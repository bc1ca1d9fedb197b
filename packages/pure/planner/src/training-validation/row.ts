// Published training runs as facts/training-runs states them: what was trained, how it was divided, on what, and what was measured.

import type { RecomputeModule } from '@ironlaw/contracts'
import type { Recompute, Shards } from '../training/strategy.ts'
import bundle from './training-runs.generated.json' with { type: 'json' }

/** A model as its source describes it; `builtIn` names one of ours that is the same. */
export type PublishedModel = {
  readonly name: string
  readonly family: string
  readonly layers: number
  readonly hidden: number
  readonly ffn: number
  readonly heads: number
  readonly kvHeads: number
  readonly vocab: number
  readonly tied: boolean
  readonly builtIn?: string
  readonly headWidth?: number
  readonly experts?: number
  readonly topK?: number
  readonly expertFfn?: number
  readonly sharedExperts?: number
  readonly denseLayers?: number
  readonly predictionLayers?: number
  readonly queryRank?: number
  readonly kvRank?: number
  readonly nopeWidth?: number
  readonly ropeWidth?: number
  readonly valueWidth?: number
}

/** `unstated`: the source prints a figure and does not say what it counts. */
export type MemoryKind = 'allocated' | 'reserved' | 'nvidia-smi' | 'unstated'

export type Timing = {
  readonly outcome?: never
  readonly step_s: number
  readonly tokens_per_s_per_gpu: number
  readonly memory_bytes?: number
  readonly memoryKind?: MemoryKind
  readonly reserved_bytes?: number
}

type RowDescription = {
  readonly id: string
  readonly split: 'calibration' | 'heldout' | 'context'
  readonly trust: 'A' | 'B' | 'C'
  readonly year: number
  readonly gpu: string
  readonly runtime: string
  readonly model: PublishedModel
}

/** A row whose source leaves out something that decides the answer, and what. */
type UnusableRow = RowDescription & { readonly usable: false; readonly why: string }

export type UsableRow = RowDescription & {
  readonly usable: true
  /** A calibration row of the same layout, from which this one differs only in the number of microbatches. */
  readonly near?: string
  readonly sequence: number
  readonly gpus: number
  readonly perNode?: number
  readonly hardware?: {
    readonly memory_bytes?: number
    readonly bandwidth_bytes_per_s?: number
    readonly power_w?: number
    readonly link_bytes_per_s?: number
  }
  readonly link: { readonly inNode: string; readonly domain?: number; readonly port_bytes_per_s?: number }
  readonly precision: 'fp16' | 'bf16' | 'bf16-pure' | 'fp8' | 'mxfp8' | 'nvfp4' | 'int8'
  readonly tp: number
  readonly sp: boolean
  readonly cp: number
  readonly pp: number
  readonly vpp: number
  readonly dp: number
  readonly ep?: number
  readonly shards: Shards
  readonly shardGroup?: number
  readonly microbatch: number
  readonly globalBatch: number
  readonly recompute: Recompute
  /** What selective recomputation covers, as Megatron-Core names it; `recomputeScope` says what these names cannot. */
  readonly recomputeModules?: readonly RecomputeModule[]
  readonly recomputeScope?: string
  readonly attention: 'flash' | 'unfused'
  readonly settings?: readonly string[]
  /** What the software was told to hide. */
  readonly overlap?: readonly string[]
  readonly measured: Timing | { readonly outcome: 'out-of-memory' }
}

export type Row = (UsableRow | UnusableRow) & { readonly source: string }

type RowFile = { readonly id: string; readonly rows: readonly (UsableRow | UnusableRow)[] }

export const publishedRows: readonly Row[] = (bundle as unknown as readonly RowFile[]).flatMap(({ id, rows }) =>
  rows.map((row) => ({ ...row, source: id })),
)
