// Known values in what jobs print. Each value is looked for as it is, as base64 at each of its three alignments, encoded for URLs and for JSON,
// and, if it has lines, by line. What is found is overwritten in place, so that byte offsets of logs stay what they are; readers see `***`.

type MaskedBytes = { readonly bytes: Buffer; readonly settled: number }

export type Redactor = {
  /**
   * A copy in which known values are overwritten. `settled`: how many bytes of it may be kept; from there on a value may have begun whose rest
   * is yet to come. `isCut`: they may begin in the middle of a value.
   */
  readonly mask: (bytes: Buffer, how?: { readonly isCut: boolean }) => MaskedBytes
  /** For a text that may begin in the middle of a value. */
  readonly text: (text: string) => string
}

/** Shorter ones would be found in every second line. */
export const SHORTEST = 8
const SHORTEST_LINE = 16
/** Of a longer form only this much is looked for. */
const LONGEST = 4096

/** The control character "substitute". */
const MASK = 0x1a
// eslint-disable-next-line no-control-regex -- that character
const MASKED = /\u001A+/g

/** As readers see it. */
export const showMasked = (text: string): string => text.replaceAll(MASKED, '***')

export function redactor(values: readonly string[]): Redactor {
  const forms = formsOf(values)
  if (forms.length === 0) return { mask: (bytes) => ({ bytes, settled: bytes.length }), text: (text) => text }
  const index = new FormIndex(forms)
  const mask = (bytes: Buffer, { isCut } = { isCut: false }): MaskedBytes => {
    const copy = Buffer.from(bytes)
    if (isCut) maskBeginning(forms, copy)
    const end = index.mask(copy)
    return { bytes: copy, settled: index.settled(copy, end) }
  }
  return { mask, text: (text) => showMasked(mask(Buffer.from(text), { isCut: true }).bytes.toString('utf8')) }
}

function formsOf(values: readonly string[]): readonly Buffer[] {
  const texts = new Set<string>()
  for (const value of values) {
    const lines = value.includes('\n')
      ? value.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'))
      : []
    for (const text of [value.trimEnd(), ...lines].filter((each) => each.length >= SHORTEST)) {
      const bytes = Buffer.from(text)
      const url = encodeURIComponent(text.toWellFormed())
      const base64 = [0, 1, 2].map((shift) => base64Core(bytes, shift))
      const encoded = [...base64, ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'))]
      for (const form of [text, JSON.stringify(text).slice(1, -1), url, url.replaceAll(/%../g, (hex) => hex.toLowerCase()), ...encoded])
        if (form.length >= SHORTEST) texts.add(form)
    }
  }
  return [...texts].map((text) => Buffer.from(text).subarray(0, LONGEST)).toSorted((one, other) => other.length - one.length)
}

/** The characters of base64 that depend on these bytes alone, where `shift` other bytes of a group of three stand before them. */
function base64Core(bytes: Buffer, shift: number): string {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return whole.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}

/** Where the text begins behind the beginning of a form. */
function maskBeginning(forms: readonly Buffer[], bytes: Buffer): void {
  const [first] = bytes
  for (const form of forms)
    for (let cut = 1; cut <= form.length - SHORTEST + 1; cut += 1)
      if (form[cut] === first && bytes.subarray(0, form.length - cut).equals(form.subarray(cut))) {
        bytes.fill(MASK, 0, form.length - cut)
        return
      }
}

const GRAM = 4
const BITS = 16

/** Finds forms by their first four bytes: a table of bits rules out nearly every place of a text at the cost of one look. */
class FormIndex {
  readonly #byGram = new Map<number, Buffer[]>()
  readonly #bits = new Uint8Array(1 << BITS)
  readonly #forms: readonly Buffer[]
  readonly #longest: number

  /** Longest first. */
  constructor(forms: readonly Buffer[]) {
    this.#forms = forms
    this.#longest = forms[0]?.length ?? 0
    for (const form of forms) {
      const gram = form.readUInt32LE(0)
      this.#byGram.set(gram, [...(this.#byGram.get(gram) ?? []), form])
      this.#bits[slotOf(gram)] = 1
    }
  }

  /** Returns the end of the last one. */
  mask(bytes: Buffer): number {
    let end = 0
    for (let at = 0; at + GRAM <= bytes.length; at += 1) {
      const found = this.#at(bytes, at).find((form) => bytes.subarray(at, at + form.length).equals(form))
      if (!found) continue
      bytes.fill(MASK, at, at + found.length)
      end = at + found.length
      at = end - 1
    }
    return end
  }

  /** Where the first form begins that the text may end in the middle of. */
  settled(bytes: Buffer, from: number): number {
    for (let at = Math.max(from, bytes.length - this.#longest + 1); at < bytes.length; at += 1) {
      const rest = bytes.length - at
      const likely = rest < GRAM ? this.#forms : this.#at(bytes, at)
      if (likely.some((form) => form.length > rest && bytes.compare(form, 0, rest, at) === 0)) return at
    }
    return bytes.length
  }

  #at(bytes: Buffer, at: number): readonly Buffer[] {
    const gram = ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
    return this.#bits[slotOf(gram)] === 0 ? NONE : (this.#byGram.get(gram) ?? NONE)
  }
}

const NONE: readonly Buffer[] = []

/** Knuth's multiplicative hash (The Art of Computer Programming, 6.4). */
const slotOf = (gram: number): number => Math.imul(gram, 2_654_435_761) >>> (32 - BITS)
