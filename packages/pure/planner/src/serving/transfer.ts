// The key-value cache of a prompt on its way from the replica that made it to the one that decodes.

import { PORT_EFFICIENCY } from '../machine/fabric.ts'
import type { Layout } from './layout.ts'
import type { ServingMemory } from './memory.ts'

/** Requests a second whose prompts' caches pass the ports of a replica: each prompt lies on one copy of the attention. */
export const transferLimit = (
  { data }: Layout,
  { token_bytes }: ServingMemory,
  { input, port }: { readonly input: number; readonly port: number },
): number => (data * port * PORT_EFFICIENCY) / (input * token_bytes)
