// The one description of a model that counts, operators and memory are computed from. A model is a short list of
// groups; a group is a block of layers that occurs `count` times, so 126 equal layers are one row. Per-layer objects
// were rejected: importing a model must cost microseconds, because a search imports and evaluates many of them.

/** Which keys a query may see. `chunked` restarts at every multiple of `chunk` (Llama 4); `sliding` looks `window` tokens back, itself included. */
export type Mask =
  | { readonly kind: 'causal' }
  | { readonly kind: 'bidirectional' }
  | { readonly kind: 'cross' }
  | { readonly kind: 'sliding'; readonly window: number }
  | { readonly kind: 'chunked'; readonly chunk: number }

export type Norm = {
  readonly kind: 'norm'
  readonly name: string
  readonly width: number
  readonly style: 'rms' | 'layer'
  readonly bias: boolean
}

export type Embedding = {
  readonly kind: 'embedding'
  readonly name: string
  readonly rows: number
  readonly width: number
  /** A token table is read by index; a position table is added row by row. */
  readonly of: 'token' | 'position'
}

/** Multi-head, grouped-query and multi-query attention: they differ only in `kvHeads`. */
export type Attention = {
  readonly kind: 'attention'
  readonly name: string
  readonly width: number
  readonly heads: number
  readonly kvHeads: number
  readonly headWidth: number
  readonly mask: Mask
  readonly bias: { readonly qkv: boolean; readonly output: boolean }
  /** `head`: one weight vector per head width. `full`: over all heads together. `plain`: without weights. */
  readonly qkNorm: 'none' | 'plain' | 'head' | 'full' | 'head-bias'
  readonly rotary: boolean
  /** The query projection is twice as wide; its second half gates the output (Qwen3-Next). */
  readonly gated: boolean
  readonly sinks: boolean
  /** Rows of a learned table of relative positions (T5); 0 when there is none. */
  readonly relativeBuckets: number
}

/** Multi-head latent attention (DeepSeek): keys and values are rebuilt from one latent vector per token. */
export type LatentAttention = {
  readonly kind: 'latent-attention'
  readonly name: string
  readonly width: number
  readonly heads: number
  /** Absent: queries are projected directly (DeepSeek-V2-Lite). */
  readonly queryRank?: number
  readonly kvRank: number
  readonly nopeWidth: number
  readonly ropeWidth: number
  readonly valueWidth: number
  readonly mask: Mask
  readonly bias: boolean
}

export type Mlp = {
  readonly kind: 'mlp'
  readonly name: string
  readonly width: number
  readonly inner: number
  readonly gated: boolean
  readonly bias: boolean
  /** Reads the same normalised input as the parallel attention, so that input is kept once. */
  readonly sharesInput: boolean
}

export type Moe = {
  readonly kind: 'moe'
  readonly name: string
  readonly width: number
  readonly experts: number
  readonly active: number
  readonly inner: number
  readonly gated: boolean
  readonly bias: { readonly experts: boolean; readonly router: boolean }
  /** One learned number per expert that corrects the load, outside the gradient (DeepSeek-V3). */
  readonly correction: boolean
  /** Total inner width of the experts every token visits; 0 when there are none. */
  readonly sharedInner: number
  readonly sharedGate: boolean
  /** Width the routed experts work in when it is not the model's (Nemotron 3). */
  readonly latentWidth?: number
  /** Experts come in groups, and a token visits experts of only so many of them (DeepSeek). */
  readonly groupLimit?: { readonly groups: number; readonly visited: number }
}

/** A state-space mixer: Mamba (per-channel decay) or Mamba-2 (per-head decay). */
export type StateSpace = {
  readonly kind: 'state-space'
  readonly name: string
  readonly width: number
  readonly inner: number
  readonly state: number
  readonly kernel: number
  readonly convBias: boolean
  readonly bias: boolean
  readonly form:
    | { readonly version: 1; readonly timeRank: number; readonly innerNorms: boolean }
    | { readonly version: 2; readonly heads: number; readonly groups: number }
}

/** A gated delta network: linear attention with a state of keyWidth x valueWidth per value head (Qwen3-Next). */
export type DeltaNet = {
  readonly kind: 'delta-net'
  readonly name: string
  readonly width: number
  readonly keyHeads: number
  readonly valueHeads: number
  readonly keyWidth: number
  readonly valueWidth: number
  readonly kernel: number
}

export type Linear = {
  readonly kind: 'linear'
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  readonly bias: boolean
  /** A tied projection multiplies by the token table and owns no weights. */
  readonly tied: boolean
  readonly role: 'head' | 'projection'
}

export type Convolution = {
  readonly kind: 'convolution'
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  readonly kernel: number
  readonly groups: number
  readonly bias: boolean
  /** Batch normalisation after the convolution: two learned vectors (its running statistics are not parameters). */
  readonly batchNorm: boolean
  readonly inputPositions: number
  readonly outputPositions: number
}

/** A learned tensor that is added as it is: a class token, an image newline. */
export type Constant = { readonly kind: 'constant'; readonly name: string; readonly shape: readonly number[] }

/** Looks up `lookups` rows and sums them into one vector (recommendation models). */
export type EmbeddingBag = {
  readonly kind: 'embedding-bag'
  readonly name: string
  readonly rows: number
  readonly width: number
  readonly lookups: number
}

/** All pairs of dot products between feature vectors (DLRM). */
export type Interaction = { readonly kind: 'interaction'; readonly name: string; readonly vectors: number; readonly width: number }

export type Layer =
  | Norm
  | Embedding
  | Attention
  | LatentAttention
  | Mlp
  | Moe
  | StateSpace
  | DeltaNet
  | Linear
  | Convolution
  | Constant
  | EmbeddingBag
  | Interaction

/** `prediction` is the multi-token-prediction module: shipped with the weights, not part of the published model size. */
export type Stack = 'input' | 'vision' | 'encoder' | 'decoder' | 'output' | 'prediction'

/** How many positions of a sequence the group works on; a number is a fixed count per image or sample. */
export type Positions = 'text' | 'source' | 'output' | number

export type Group = {
  readonly name: string
  readonly stack: Stack
  readonly count: number
  readonly positions: Positions
  readonly layers: readonly Layer[]
}

export type Architecture = {
  readonly modelType: string
  /** Width of the residual stream of the main stack. */
  readonly width: number
  /** 0 for models without tokens. */
  readonly vocabulary: number
  /** Longest sequence the model was made for; absent when the config does not say. */
  readonly longestContext?: number
  readonly tied: boolean
  readonly groups: readonly Group[]
  /** For every layer of the main stack in order, the index of its group: what a pipeline is cut along. */
  readonly layout: readonly number[]
}
