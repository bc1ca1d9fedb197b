// A tokenizer from a Hugging Face `tokenizer.json` with a BPE model. Same ids as Hugging Face's libraries without special tokens at the
// ends (`add_special_tokens=False`): where a document begins and ends is for whoever packs documents to say.

import { addedTokenSearch } from './added-tokens.ts'
import { decoder, type Decoder } from './decoder.ts'
import { mergedTokens } from './merge.ts'
import { mergeTable } from './merge-table.ts'
import { normalizer } from './normalizer.ts'
import { splitter } from './splitter.ts'
import { byteSymbols, characterSymbols } from './symbols.ts'
import { type BpeModel, parseTokenizerFile, type TokenizerFile } from './tokenizer-file.ts'
import { BYTE_CHARACTERS, utf8Bytes } from './utf8.ts'

export type Tokenizer = {
  /** Lone surrogates count as U+FFFD, as they do in UTF-8. */
  readonly encode: (text: string) => Uint32Array
  /** The bytes of UTF-8 that the tokens stand for. */
  readonly decode: Decoder
}

/** Words kept with their tokens: about 100 MB when full, after which new words are encoded each time. */
const CACHED_WORDS = 500_000
const CACHED_LENGTH = 64

/** @param file the parsed content of tokenizer.json */
export function createTokenizer(file: unknown): Tokenizer {
  const parsed = parseTokenizerFile(file)
  return { encode: encoder(parsed), decode: decoder(parsed) }
}

/** For those who only read tokens: without the tables of the encoder it is there sooner. */
export const createDecoder = (file: unknown): Decoder => decoder(parseTokenizerFile(file))

function encoder(file: TokenizerFile): (text: string) => Uint32Array {
  const normalize = normalizer(file.normalizers)
  const split = splitter(file.preTokenizers)
  const findRaw = addedTokenSearch(file.addedTokens.filter((token) => !token.isNormalized))
  const normalizedTokens = file.addedTokens.filter((token) => token.isNormalized)
  const findNormalized = addedTokenSearch(normalizedTokens.map(({ id, content }) => ({ id, content: normalize(content) })))
  const tokensOfPiece = pieceEncoder(file)
  const eachWord = file.preTokenizers.length === 0 ? wordCutter(file.model) : undefined

  let out = new Uint32Array(1 << 12)
  let count = 0
  const put = (id: number): void => {
    if (count === out.length) {
      const larger = new Uint32Array(2 * count)
      larger.set(out)
      out = larger
    }
    out[count++] = id
  }
  const putPiece = (piece: string): void => {
    const tokens = tokensOfPiece(piece)
    if (typeof tokens === 'number') put(tokens)
    else for (let i = 0; i < tokens.length; i += 1) put(tokens[i] as number)
  }
  const splitPiece = eachWord === undefined ? putPiece : (piece: string): void => eachWord(piece, putPiece)

  return (text) => {
    count = 0
    let isFirst = true
    findRaw(text.toWellFormed(), (part) => {
      if (typeof part === 'number') put(part)
      else
        findNormalized(normalize(part), (section) => {
          if (typeof section === 'number') put(section)
          else split(section, isFirst, splitPiece)
          isFirst = false
        })
      isFirst = false
    })
    return out.slice(0, count)
  }
}

function pieceEncoder({ model, preTokenizers }: TokenizerFile): (piece: string) => number | readonly number[] {
  const isByteLevel = preTokenizers.some((step) => step.type === 'ByteLevel')
  const symbolsOf = isByteLevel ? byteSymbols(model) : characterSymbols(model)
  const table = mergeTable(model)
  const tokenOf = (piece: string): number | undefined =>
    model.vocabulary.get(
      isByteLevel
        ? utf8Bytes(piece)
            .map((byte) => BYTE_CHARACTERS[byte])
            .join('')
        : piece,
    )
  const tokensOf = (piece: string): number | readonly number[] => {
    const whole = model.ignoreMerges ? tokenOf(piece) : undefined
    if (whole !== undefined) return whole
    const tokens = mergedTokens(symbolsOf(piece), table)
    return tokens.length === 1 ? (tokens[0] as number) : tokens
  }
  const cache = new Map<string, number | readonly number[]>()
  return (piece) => {
    let tokens = cache.get(piece)
    if (tokens === undefined) {
      tokens = tokensOf(piece)
      if (piece.length <= CACHED_LENGTH && cache.size < CACHED_WORDS) cache.set(piece, tokens)
    }
    return tokens
  }
}

/**
 * Models without a pre-tokenizer merge over the whole text. Where no token has a character before the mark of a space, nothing merges over that
 * place, so the text may be cut there: the same tokens, word by word, from the cache.
 */
function wordCutter({ merges, ignoreMerges }: BpeModel): ((text: string, emit: (word: string) => void) => void) | undefined {
  if (ignoreMerges) return undefined
  const joined = new Set<string>(['▁'])
  for (const [left, right] of merges) {
    const token = left + right
    for (let at = token.indexOf('▁', 1); at !== -1; at = token.indexOf('▁', at + 1)) joined.add(token[at - 1] as string)
  }
  return (text, emit) => {
    let from = 0
    for (let at = text.indexOf('▁', 1); at !== -1; at = text.indexOf('▁', at + 1)) {
      if (joined.has(text[at - 1] as string)) continue
      emit(text.slice(from, at))
      from = at
    }
    if (from < text.length) emit(text.slice(from))
  }
}
