// Where a person decides what a plan decides otherwise: the next step of a refusal names these fields of the spec.

export const BY_TRAINING = { decisions: '"strategy"' } as const

export const BY_SERVING = { decisions: '"engine", "layout", "precisions", "cache" or "speculation"' } as const
