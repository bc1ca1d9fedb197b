// What weights and keys and values of a served model are kept in, by the names that specs, plans and measured quality share.

export const WEIGHT_PRECISIONS = [
  'bf16',
  'fp8',
  'fp8-block',
  'int8',
  'int4',
  'int4-experts',
  'nvfp4',
  'nvfp4-experts',
  'mxfp4-experts',
] as const
export type WeightPrecision = (typeof WEIGHT_PRECISIONS)[number]

export const CACHE_PRECISIONS = ['bf16', 'fp8', 'int8'] as const
