import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextAssembly } from './text-assembly.ts'

const bytes = (tokens: readonly number[]): string => Buffer.from(tokens).toString('utf8')

function assembleText(
  text: string,
  stops: readonly string[],
): { readonly shown: string; readonly parts: readonly string[]; readonly stopped: boolean } {
  const assembly = new TextAssembly(bytes, stops)
  const parts: string[] = []
  for (const byte of Buffer.from(text)) {
    parts.push(assembly.add(byte))
    if (assembly.stopped) break
  }
  parts.push(assembly.end())
  return { shown: parts.join(''), parts, stopped: assembly.stopped }
}

describe('text from bytes', () => {
  test('no part shows half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { shown, parts } = assembleText(text, [])
        expect(shown).toBe(text)
        expect(parts.some((part) => part.includes('\uFFFD'))).toBe(text.includes('\uFFFD'))
      }),
    )
  })

  test('nor does one that begins behind a broken one, or behind the sign for broken ones', () => {
    expect(assembleText('\uFFFD\u2003\uFFFD', []).shown).toBe('\uFFFD\u2003\uFFFD')
    const assembly = new TextAssembly(bytes, [])
    const parts = [0xff, ...Buffer.from('😀')].map((byte) => assembly.add(byte))
    expect(parts.join('')).toBe('\uFFFD😀')
  })

  test('bytes that are no character do not hold the rest for ever', () => {
    const assembly = new TextAssembly(bytes, [])
    const parts = [0xff, 0xff, 0xff, 0xff, 0x41].map((byte) => assembly.add(byte))
    expect(parts.join('').endsWith('A')).toBe(true)
  })
})

describe('stop strings', () => {
  test('text ends before the first stop, and none of it was shown', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'é') }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1 }), { minLength: 1 }),
        (text, stops) => {
          const at = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index !== -1))
          const { shown, stopped } = assembleText(text, stops)
          expect(stopped).toBe(at !== Infinity)
          // With stops that overlap, the one that is whole first ends the text.
          if (stops.length === 1) expect(shown).toBe(at === Infinity ? text : text.slice(0, at))
          expect(text.startsWith(shown)).toBe(true)
        },
      ),
    )
  })

  test('a beginning that leads nowhere is shown', () => {
    expect(assembleText('on\nOne', ['\n\n']).parts.join('|')).toBe('o|n||\nO|n|e|')
  })
})
