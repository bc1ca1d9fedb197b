// Which published runs the planner cannot be asked for, and why. They are counted and never scored.

import { accelerator, type Catalog } from '@ironlaw/catalog'
import type { UsableRow } from './row.ts'

export type OutOfScope = 'int8 products'

export const outOfScope = ({ precision }: UsableRow): OutOfScope | undefined => (precision === 'int8' ? 'int8 products' : undefined)

/** Kernel tables exist for NVIDIA's chips alone: others borrow a curve, which their rows judge in a set of their own. */
export const isNvidia = (catalog: Catalog, gpu: string): boolean => accelerator(catalog, gpu).facts.vendor === 'NVIDIA'
