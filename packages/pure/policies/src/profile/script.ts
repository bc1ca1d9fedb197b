// In which script a text begins, by the Unicode blocks of its first letters: cheap enough for the path of requests, where a detector of languages
// is not.

export type Script = (typeof RANGES)[number][2] | 'latin' | 'other' | 'none'

/** Letters that decide. */
const LETTERS = 100
/** Characters that are looked at, so that a text of digits alone costs no more. */
const CHARACTERS = 1000

/** Blocks by their first and last code unit, in order. */
const RANGES = [
  [0x0370, 0x03ff, 'greek'],
  [0x0400, 0x052f, 'cyrillic'],
  [0x0530, 0x058f, 'armenian'],
  [0x0590, 0x05ff, 'hebrew'],
  [0x0600, 0x06ff, 'arabic'],
  [0x0750, 0x077f, 'arabic'],
  [0x0900, 0x097f, 'devanagari'],
  [0x0980, 0x09ff, 'bengali'],
  [0x0b80, 0x0bff, 'tamil'],
  [0x0e00, 0x0e7f, 'thai'],
  [0x10a0, 0x10ff, 'georgian'],
  [0x1100, 0x11ff, 'hangul'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'greek'],
  [0x3040, 0x30ff, 'kana'],
  [0x3130, 0x318f, 'hangul'],
  [0x31f0, 0x31ff, 'kana'],
  [0x3400, 0x4dbf, 'han'],
  [0x4e00, 0x9fff, 'han'],
  [0xac00, 0xd7af, 'hangul'],
  [0xf900, 0xfaff, 'han'],
] as const
/** Between the letters of Latin-1 and of the extended blocks are two signs that are none. */
const LATIN_END = 0x024f
const MULTIPLY = 0xd7
const DIVIDE = 0xf7
/** Japanese is mostly written with both: this share of kana among the two makes it Japanese. */
const KANA_SHARE = 0.1
const LETTER = /\p{L}/u

export function scriptOf(text: string): Script {
  let counts: Map<Script, number> | undefined
  let latin = 0
  let letters = 0
  const end = Math.min(text.length, CHARACTERS)
  for (let at = 0; at < end && letters < LETTERS; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= LATIN_END) {
      if (isLatin(code)) {
        latin += 1
        letters += 1
      }
      continue
    }
    const script = scriptOfUnit(code, text[at] ?? '')
    if (script === undefined) continue
    counts ??= new Map()
    counts.set(script, (counts.get(script) ?? 0) + 1)
    letters += 1
  }
  if (!counts) return latin > 0 ? 'latin' : 'none'
  return mostFrequent(counts.set('latin', (counts.get('latin') ?? 0) + latin))
}

function isLatin(code: number): boolean {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  return code >= 0xc0 && code !== MULTIPLY && code !== DIVIDE
}

function scriptOfUnit(code: number, unit: string): Script | undefined {
  for (const [first, last, script] of RANGES) if (code >= first && code <= last) return LETTER.test(unit) ? script : undefined
  return LETTER.test(unit) ? 'other' : undefined
}

function mostFrequent(counts: ReadonlyMap<Script, number>): Script {
  const [[script] = ['none' as const]] = [...counts].toSorted(([, one], [, other]) => other - one)
  const [kana, han] = [counts.get('kana') ?? 0, counts.get('han') ?? 0]
  return script === 'han' && kana >= KANA_SHARE * (kana + han) ? 'kana' : script
}
