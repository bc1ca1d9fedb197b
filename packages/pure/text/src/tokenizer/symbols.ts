// The tokens that a piece begins as, before anything is merged: one a byte, or one a character with bytes for characters that have none.

import type { BpeModel } from './tokenizer-file.ts'
import { BYTE_CHARACTERS, utf8Bytes } from './utf8.ts'

export type Symbols = (piece: string) => number[]

const hex = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`

/** The ids of `<0x00>` to `<0xFF>`. */
export const fallbackIds = ({ vocabulary }: Pick<BpeModel, 'vocabulary'>): readonly (number | undefined)[] =>
  Array.from({ length: 256 }, (_, byte) => vocabulary.get(hex(byte)))

export function byteSymbols({ vocabulary, unknownToken, fuseUnknown }: BpeModel): Symbols {
  const ids = BYTE_CHARACTERS.map((character) => vocabulary.get(character))
  return (piece) =>
    withUnknown(
      utf8Bytes(piece).map((byte) => ids[byte]),
      { unknownToken, fuseUnknown },
    )
}

export function characterSymbols(model: BpeModel): Symbols {
  const { vocabulary, byteFallback } = model
  const bytes = fallbackIds(model)
  return (piece) => {
    const symbols: (number | undefined)[] = []
    for (const character of piece) {
      const id = vocabulary.get(character)
      const fallback = id === undefined && byteFallback ? utf8Bytes(character).map((byte) => bytes[byte]) : [id]
      if (fallback.includes(undefined)) symbols.push(undefined)
      else symbols.push(...fallback)
    }
    return withUnknown(symbols, model)
  }
}

/** What has no token becomes the unknown token, once for several in a row where the model says so, or nothing where it has none. */
function withUnknown(symbols: readonly (number | undefined)[], model: Pick<BpeModel, 'unknownToken' | 'fuseUnknown'>): number[] {
  const { unknownToken, fuseUnknown } = model
  return symbols.flatMap((symbol, i) => {
    if (symbol !== undefined) return [symbol]
    const isRepeated = fuseUnknown && i > 0 && symbols[i - 1] === undefined
    return unknownToken === undefined || isRepeated ? [] : [unknownToken]
  })
}
