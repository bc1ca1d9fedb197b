// How a text is cut into the pieces that BPE works on (pre-tokenizers). Each step hands its pieces to the next.

import { refused, type Step } from './tokenizer-file.ts'

type Emit = (piece: string) => void
/** @param isFirst whether the text is the beginning of the document */
export type Splitter = (text: string, isFirst: boolean, emit: Emit) => void

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

/** Oniguruma's \s is Unicode's White_Space. JavaScript's has U+FEFF besides and lacks U+0085. */
const SPACES = String.raw`\t-\r\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`

/** A pattern as Hugging Face's library reads it (Oniguruma), written for JavaScript. */
function javascriptPattern(pattern: string): string {
  let inClass = false
  return pattern.replaceAll(/\\[^]|[[\]]/g, (part) => {
    if (part === '[') inClass = true
    if (part === ']') inClass = false
    if (part === String.raw`\s`) return inClass ? SPACES : `[${SPACES}]`
    if (part === String.raw`\S`) {
      if (inClass) throw refused(String.raw`a pattern has \S in a class, which is not supported`)
      return `[^${SPACES}]`
    }
    return part
  })
}

type Pattern = { readonly here: RegExp; readonly next: RegExp }

function compiled(source: string): Pattern {
  try {
    const pattern = javascriptPattern(source)
    return { here: new RegExp(pattern, 'uy'), next: new RegExp(pattern, 'ug') }
  } catch (cause) {
    if (cause instanceof SyntaxError) throw refused(`the pattern ${source} cannot be read: ${cause.message}`)
    throw cause
  }
}

type Part = (start: number, end: number, isMatch: boolean) => void

/** Matches and what lies between them, in order. Most patterns match everywhere: asking at the place saves the search and its array. */
function eachPart({ here, next }: Pattern, text: string, part: Part): void {
  let at = 0
  while (at < text.length) {
    here.lastIndex = at
    if (here.test(text) && here.lastIndex > at) {
      const end = here.lastIndex
      part(at, end, true)
      at = end
      continue
    }
    next.lastIndex = at
    let match = next.exec(text)
    while (match?.[0] === '') {
      next.lastIndex += 1
      match = next.exec(text)
    }
    const end = match?.index ?? text.length
    part(at, end, false)
    at = end
  }
}

type Behavior = 'Isolated' | 'Removed' | 'MergedWithPrevious' | 'MergedWithNext'

function patternSplitter(pattern: Pattern, { behavior, invert }: { behavior: Behavior; invert: boolean }): Splitter {
  switch (behavior) {
    case 'Isolated':
      return (text, _, emit) => eachPart(pattern, text, (start, end) => emit(text.slice(start, end)))
    case 'Removed':
      return (text, _, emit) =>
        eachPart(pattern, text, (start, end, isMatch) => {
          if (isMatch === invert) emit(text.slice(start, end))
        })
    case 'MergedWithPrevious':
      return (text, _, emit) => {
        let from = 0
        let wasMatch = true
        eachPart(pattern, text, (start, _end, isMatch) => {
          const isDelimiter = isMatch !== invert
          if (start > from && !(isDelimiter && !wasMatch)) {
            emit(text.slice(from, start))
            from = start
          }
          wasMatch = isDelimiter
        })
        if (from < text.length) emit(text.slice(from))
      }
    case 'MergedWithNext':
      return (text, _, emit) => {
        let from = 0
        let wasMatch = false
        eachPart(pattern, text, (start, _end, isMatch) => {
          const isDelimiter = isMatch !== invert
          if (start > from && (isDelimiter || !wasMatch)) {
            emit(text.slice(from, start))
            from = start
          }
          wasMatch = isDelimiter
        })
        if (from < text.length) emit(text.slice(from))
      }
  }
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

function splitStep(step: Step): Splitter {
  const { String: literal, Regex: regex } = (step['pattern'] ?? {}) as { readonly String?: unknown; readonly Regex?: unknown }
  const source = typeof regex === 'string' ? regex : typeof literal === 'string' ? escaped(literal) : undefined
  if (source === undefined) throw refused('pre-tokenizer Split has no pattern')
  const behavior = step['behavior']
  if (behavior !== 'Isolated' && behavior !== 'Removed' && behavior !== 'MergedWithPrevious' && behavior !== 'MergedWithNext')
    throw refused(`pre-tokenizer Split with behavior ${String(behavior)} is not supported`)
  return patternSplitter(compiled(source), { behavior, invert: step['invert'] === true })
}

function byteLevelStep(step: Step): Splitter {
  const split: Splitter =
    step['use_regex'] === false ? (text, _, emit) => emit(text) : patternSplitter(compiled(GPT2), { behavior: 'Isolated', invert: false })
  if (step['add_prefix_space'] !== true) return split
  return (text, isFirst, emit) => split(text.startsWith(' ') ? text : ` ${text}`, isFirst, emit)
}

function metaspaceStep(step: Step): Splitter {
  const mark = typeof step['replacement'] === 'string' ? step['replacement'] : '▁'
  const scheme = step['prepend_scheme'] ?? (step['add_prefix_space'] === false ? 'never' : 'always')
  const split =
    step['split'] === false ? undefined : patternSplitter(compiled(escaped(mark)), { behavior: 'MergedWithNext', invert: false })
  return (text, isFirst, emit) => {
    const marked = text.replaceAll(' ', () => mark)
    const begins = (scheme === 'always' || (scheme === 'first' && isFirst)) && !marked.startsWith(mark)
    const whole = begins ? mark + marked : marked
    if (split === undefined) emit(whole)
    else split(whole, isFirst, emit)
  }
}

function splitterStep(step: Step): Splitter {
  switch (step.type) {
    case 'ByteLevel':
      return byteLevelStep(step)
    case 'Split':
      return splitStep(step)
    case 'Digits':
      return patternSplitter(compiled(step['individual_digits'] === true ? String.raw`\p{N}` : String.raw`\p{N}+`), {
        behavior: 'Isolated',
        invert: false,
      })
    case 'Metaspace':
      return metaspaceStep(step)
    default:
      throw refused(`the pre-tokenizer ${step.type} is not supported`)
  }
}

export function splitter(steps: readonly Step[]): Splitter {
  const parts = steps
    .filter((step) => step.type !== 'ByteLevel' || step['use_regex'] !== false || step['add_prefix_space'] === true)
    .map(splitterStep)
  const [only] = parts
  if (only === undefined) return (text, _, emit) => emit(text)
  return parts.slice(1).reduce<Splitter>(
    (before, part) => (text, isFirst, emit) => {
      let first = isFirst
      before(text, isFirst, (piece) => {
        part(piece, first, emit)
        first = false
      })
    },
    only,
  )
}
