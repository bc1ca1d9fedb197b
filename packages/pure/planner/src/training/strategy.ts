// How a training step is divided over devices. Rank order is Megatron's: tensor innermost, then context and expert, then data,
// pipeline outermost; the fabric model reads from it which links a group uses.

/** What the data-parallel ranks divide among themselves: ZeRO stages 0 to 3; `weights` is FSDP. */
export type Shards = 'nothing' | 'optimizer' | 'gradients' | 'weights'

export type Recompute = 'none' | 'selective' | 'full'

export type Schedule = '1f1b' | 'gpipe' | 'interleaved' | 'zero-bubble' | 'dualpipe'

export type Strategy = {
  readonly tensor: number
  /** Norms and residuals are divided along the sequence among the tensor-parallel ranks. */
  readonly sequenceParallel: boolean
  readonly context: number
  readonly contextBy: 'ring' | 'all-to-all'
  readonly pipeline: number
  /** Chunks of layers per pipeline rank; more than 1 only with `interleaved`. */
  readonly virtual: number
  readonly schedule: Schedule
  readonly expert: number
  readonly data: number
  readonly shards: Shards
  /** Devices among which weights are sharded; the rest replicate (HSDP). All of them when absent. */
  readonly shardGroup?: number
  /** Sequences per data-parallel rank and pass. */
  readonly microbatch: number
  readonly recompute: Recompute
  /** Where optimizer states live; `host` pays for it in transfers. */
  readonly optimizerOn: 'device' | 'host'
}

export const devicesOf = ({ tensor, context, pipeline, data }: Strategy): number => tensor * context * pipeline * data

export const PLAIN: Strategy = {
  tensor: 1,
  sequenceParallel: false,
  context: 1,
  contextBy: 'ring',
  pipeline: 1,
  virtual: 1,
  schedule: '1f1b',
  expert: 1,
  data: 1,
  shards: 'nothing',
  microbatch: 1,
  recompute: 'none',
  optimizerOn: 'device',
}
