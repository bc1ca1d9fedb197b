// The output of a measuring job, one row per line (python/ironlaw/measure prints them): what was timed, with which shape, while how many
// ranks shared the node, and the seconds of every window by node.

export type CollectiveName = 'all-reduce' | 'all-gather' | 'reduce-scatter' | 'all-to-all'

type TimedMeasurement = { readonly seconds: Readonly<Record<string, readonly number[]>> }
type SharedMeasurement = TimedMeasurement & { readonly ranks: number }

export type ProductRow = SharedMeasurement & { readonly measured: 'product'; readonly m: number; readonly n: number; readonly k: number }

export type AttentionRow = SharedMeasurement & {
  readonly measured: 'attention'
  readonly way: 'forward' | 'both'
  readonly sequences: number
  readonly heads: number
  readonly kv_heads: number
  readonly length: number
  readonly width: number
}

/** Forward and backward passes of a stack of decoder layers. */
export type LayerRow = SharedMeasurement & {
  readonly measured: 'layer'
  readonly sequences: number
  readonly length: number
  readonly width: number
  readonly heads: number
  readonly kv_heads: number
  readonly inner: number
  readonly layers: number
}

/** The same of layers too small for any device: the host alone. */
export type LaunchRow = SharedMeasurement & { readonly measured: 'launch'; readonly way: 'forward' | 'both'; readonly layers: number }
type CopyRow = SharedMeasurement & { readonly measured: 'copy'; readonly bytes: number }
/** A checkpoint copied to host memory, as the SDK does it. */
type StagingRow = SharedMeasurement & { readonly measured: 'staging'; readonly bytes: number }
type OptimizerRow = SharedMeasurement & { readonly measured: 'optimizer'; readonly elements: number }

/** `bytes` as in nccl-tests: the whole buffer, or for all-to-all what one rank sends. */
export type CollectiveRow = TimedMeasurement & {
  readonly measured: 'collective'
  readonly name: CollectiveName
  readonly bytes: number
  readonly ranks: number
  readonly nodes: number
}

type StorageRow = SharedMeasurement & { readonly measured: 'storage'; readonly way: 'write' | 'read'; readonly bytes: number }

export type MeasuredRow =
  | ProductRow
  | AttentionRow
  | LayerRow
  | LaunchRow
  | CopyRow
  | StagingRow
  | OptimizerRow
  | CollectiveRow
  | StorageRow

export type MachineRow = {
  readonly measured: 'machine'
  readonly device: string
  readonly processors: number
  readonly element_bytes: number
  readonly backend: string
  readonly torch: string
}
