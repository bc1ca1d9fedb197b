// The head of a safetensors file, of which an engine takes the reference for its deep check.

import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { referenceOf } from '../../../packages/apps/server/src/engine-proof.ts'
import type { Target } from '../target.ts'

function tensors(header: object, bytes: number): Uint8Array {
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, Buffer.alloc(bytes, 1)])
}

export const target: Target = {
  grammar: 'headed-json',
  seeds: [
    tensors(
      { last: { dtype: 'F32', shape: [2, 4], data_offsets: [0, 32] }, loss: { dtype: 'F32', shape: [2], data_offsets: [32, 40] } },
      40,
    ),
    tensors({ __metadata__: {}, last: { shape: [0, 0], data_offsets: [0, 0] }, loss: { shape: [], data_offsets: [0, 4] } }, 4),
  ],
  run: (input, mark) => {
    try {
      mark(`rows ${Math.min(3, referenceOf(input).last_logits.length)}`)
    } catch (cause) {
      if (!(cause instanceof IronlawError || cause instanceof z.ZodError || cause instanceof SyntaxError)) throw cause
      mark(cause.name)
    }
  },
}
