// How routed experts are trained: the words that specs, plans and exports share.

/** How tokens reach experts on other ranks and come back, as Megatron-Core names it: two by collectives, two by kernels of their own. */
export const DISPATCHERS = ['allgather', 'alltoall', 'deepep', 'hybridep'] as const

export type Dispatcher = (typeof DISPATCHERS)[number]

/** What `selective` recomputation can cover, as Megatron-Core names it (`recompute_modules` of transformer_config.py). */
export const RECOMPUTE_MODULES = ['core_attn', 'layernorm', 'mla_up_proj', 'moe_act', 'mlp', 'moe'] as const

export type RecomputeModule = (typeof RECOMPUTE_MODULES)[number]
