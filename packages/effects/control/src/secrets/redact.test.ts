import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactor, SHORTEST, showMasked } from './redact.ts'

const VALUE = 'hf_Planted/Value+51c0=='
const KEY = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkqhkiG9w0', 'BAQEFAASCBKcwggSjAgEAAo', '-----END KEY-----', ''].join('\n')
const { text, mask } = redactor([VALUE, KEY, 'short', 'another-value-7'])

describe('a known value is taken out', () => {
  test.each([
    ['as it is', VALUE],
    ['twice in a row', VALUE + VALUE],
    ['in base64', Buffer.from(VALUE).toString('base64').replace(/=+$/, '')],
    ['in base64url', Buffer.from(VALUE).toString('base64url')],
    ['in a URL', encodeURIComponent(VALUE)],
    [
      'in a URL with lower-case digits',
      encodeURIComponent(VALUE).toLowerCase().replace('hf_planted', 'hf_Planted').replace('value', 'Value'),
    ],
    ['in JSON', JSON.stringify('another-value-7')],
    ['line by line', KEY.split('\n')[2] ?? ''],
  ])('%s', (_, form) => {
    const shown = text(`token is ${form}, and more`)
    expect(shown).toContain('***')
    for (const part of [VALUE, form.replaceAll('"', '')]) expect(shown).not.toContain(part)
    expect(shown).toMatch(/^token is .*, and more$/)
  })

  test.each(['u:', 'us:', 'user:'])('within the base64 of "%s" and itself, as an authorization header has it', (user) => {
    const shown = text(`Authorization: Basic ${Buffer.from(user + VALUE).toString('base64')}`)
    const [, left = ''] = /Basic (.*)$/.exec(shown) ?? []
    expect(left).toContain('***')
    expect(left.replace('***', '').length).toBeLessThan(12)
  })
})

test('what is short, or nobody’s secret, stays', () => {
  for (const line of ['short', 'loss 0.51, step 7', 'hf_Planted', `${VALUE.slice(0, 12)}-other`])
    expect(text(`${line}\n`)).toBe(`${line}\n`)
  expect(redactor([]).text(VALUE)).toBe(VALUE)
})

test('a text that begins in the middle of a value', () => {
  expect(text(`${VALUE.slice(6)} is the end of it`)).toBe('*** is the end of it')
})

/** As the log of a rank is stored: what is not settled is sent again with the next part. */
function storedParts(log: Buffer, cuts: readonly number[]): string {
  const stored: Buffer[] = []
  let size = 0
  for (const end of [...cuts.toSorted((one, other) => one - other), log.length]) {
    if (end <= size) continue
    const { bytes, settled } = mask(log.subarray(size, end))
    stored.push(bytes.subarray(0, settled))
    size += settled
  }
  expect(Buffer.concat(stored)).toHaveLength(size)
  return showMasked(Buffer.concat(stored).toString('utf8'))
}

const count = (whole: string, word: string): number => whole.split(word).length - 1

test('wherever the parts of a log are cut, no value is stored, and nothing else is lost', () => {
  const words = fc.constantFrom(VALUE, Buffer.from(VALUE).toString('base64'), 'another-value-7', 'step ', '\n', 'é', 'hf_', 'ano')
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), fc.array(fc.nat(300), { maxLength: 20 }), (parts, cuts) => {
      const log = Buffer.from(`${parts.join(' ')} end of log\n`)
      const stored = storedParts(log, cuts)
      for (const value of [VALUE, 'another-value-7', Buffer.from(VALUE).toString('base64')])
        for (let from = 0; from + SHORTEST <= value.length; from += 1) expect(stored).not.toContain(value.slice(from, from + SHORTEST))
      for (const word of ['step ', 'é', 'hf_ ', 'ano ']) expect(count(stored, word)).toBe(count(log.toString('utf8'), word))
      expect(stored.endsWith(' end of log\n')).toBe(true)
    }),
  )
})

test('the cost does not grow with the number of secrets', () => {
  const part = Buffer.from('step 1234 loss 2.3456 gradient_norm 0.98765 tokens/s 123456\n'.repeat(4370))
  const perMebibyte_ms = (count: number): number => {
    const many = redactor(Array.from({ length: count }, (_, index) => `secret-${index}-${'x'.repeat(32)}`))
    many.mask(part)
    // Of the processor, which a busy machine does not change as it changes the time of day.
    const from = process.cpuUsage()
    for (let round = 0; round < 8; round += 1) many.mask(part)
    return (process.cpuUsage(from).user / 8000) * ((1 << 20) / part.length)
  }
  const [few, most] = [perMebibyte_ms(1), perMebibyte_ms(400)]
  console.info(`redaction of 1 MiB: ${few.toFixed(1)} ms with 1 value, ${most.toFixed(1)} ms with 400`)
  expect(most).toBeLessThan(500)
})
