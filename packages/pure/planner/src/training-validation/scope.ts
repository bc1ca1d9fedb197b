// Which published runs the planner does not claim to predict, and why. They are counted and never scored.

import { accelerator, type Catalog } from '@ironlaw/catalog'
import type { UsableRow } from './row.ts'

export type OutOfScope = 'no curve of this silicon' | 'nvfp4 products' | 'int8 products' | 'LoRA fine-tuning'

export function outOfScope(catalog: Catalog, { gpu, precision, settings }: UsableRow): OutOfScope | undefined {
  // Kernel tables exist for NVIDIA's chips alone; a borrowed curve would measure the borrowing.
  if (accelerator(catalog, gpu).facts.vendor !== 'NVIDIA') return 'no curve of this silicon'
  if (precision === 'nvfp4') return 'nvfp4 products'
  if (precision === 'int8') return 'int8 products'
  return settings?.includes('lora-16') ? 'LoRA fine-tuning' : undefined
}
