import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fc, test } from '@fast-check/vitest'
import { afterAll, expect } from 'vitest'
import type { RawRecord, Unit } from '../unit.ts'
import { byteReader } from './byte-reader.ts'
import { readUnit } from './read-unit.ts'

const directory = mkdtempSync(join(tmpdir(), 'warc-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function readAll(content: Buffer, compression?: 'gzip'): Promise<RawRecord[]> {
  const file = join(directory, 'pages.warc')
  writeFileSync(file, content)
  const unit: Unit = { number: 0, source: 0, file, format: 'warc', start: 0, end: content.length, ...(compression && { compression }) }
  const records: RawRecord[] = []
  for await (const batch of readUnit(unit)) records.push(...batch)
  return records
}

const record = (type: string, content: Buffer | string, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `WARC/1.0\r\nWARC-Type: ${type}\r\nWARC-Target-URI: https://example.org/${type}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n${more}` +
        `WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(content)}\r\n\r\n`,
    ),
    Buffer.from(content as string),
    Buffer.from('\r\n\r\n'),
  ])

const fields = (type: string, more: Record<string, unknown>): RawRecord => ({
  kind: 'fields',
  fields: { url: `https://example.org/${type}`, date: '2024-05-01T12:00:00Z', type, ...more },
})

/** As Common Crawl writes WET files: one record of information, then texts. */
const WET = [
  record('warcinfo', 'Software-Info: ia-web-commons\r\nExtracted-Date: Wed, 01 May 2024 12:00:00 GMT\r\n'),
  record('conversion', 'Grüße\n\nWARC/1.0\r\n\r\nis no header here\n', 'WARC-Identified-Content-Language: deu\r\n'),
  record('conversion', ''),
  record('conversion', '世界'),
]
const TEXTS = ['Grüße\n\nWARC/1.0\r\n\r\nis no header here\n', '', '世界'].map((text) => fields('conversion', { text }))

test('extracted texts are read, plain and with every record compressed on its own', async () => {
  expect(await readAll(Buffer.concat(WET))).toEqual(TEXTS)
  expect(await readAll(Buffer.concat(WET.map((each) => gzipSync(each))), 'gzip')).toEqual(TEXTS)
})

const answer = (headers: string, body: Buffer | string): Buffer =>
  record('response', Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`), Buffer.from(body as string)]))

test.each([
  ['a page', answer('Content-Type: text/html; charset=utf-8', '<p>é'), { status: 200, html: '<p>é' }],
  [
    'a page of another character set',
    answer('content-type: TEXT/HTML;charset="iso-8859-1"', Buffer.from([60, 112, 62, 0xe9])),
    { status: 200, html: '<p>é' },
  ],
  [
    'a page that names its character set',
    answer('Content-Type: text/html', Buffer.from('<meta charset=latin1>\xe9', 'latin1')),
    { status: 200, html: '<meta charset=latin1>é' },
  ],
  ['a page of no character set', answer('Content-Type: text/html', Buffer.from([0x93, 0xe9])), { status: 200, html: '“é' }],
  ['a page of an unknown character set', answer('Content-Type: text/html; charset=x-none', 'é'), { status: 200, html: 'é' }],
  ['plain text', answer('Content-Type: text/plain', 'hello'), { status: 200, text: 'hello' }],
  ['a compressed page', answer('Content-Type: text/html\r\nContent-Encoding: gzip', gzipSync('<p>')), { status: 200, html: '<p>' }],
  [
    'a page in chunks',
    answer('Content-Type: text/html\r\nTransfer-Encoding: chunked', '2\r\n<p\r\n1;x=y\r\n>\r\n0\r\n\r\n'),
    { status: 200, html: '<p>' },
  ],
  ['a page whose chunks were joined', answer('Content-Type: text/html\r\nTransfer-Encoding: chunked', '<p>'), { status: 200, html: '<p>' }],
])('%s of a response is decoded', async (_, content, expected) => {
  expect(await readAll(content)).toEqual([fields('response', expected)])
})

test('requests and pictures are no records', async () => {
  expect(await readAll(Buffer.concat([record('request', 'GET / HTTP/1.1\r\n\r\n'), answer('Content-Type: image/png', '\x89PNG')]))).toEqual(
    [],
  )
})

test.each([
  ['text that is not UTF-8', record('conversion', Buffer.from([97, 255])), 'the record at byte 0 is not UTF-8 at byte 1 of its content'],
  ['a response that is none', record('response', 'hello'), 'the record at byte 0 is no HTTP response'],
  [
    'a page that cannot be unpacked',
    answer('Content-Type: text/html\r\nContent-Encoding: gzip', 'no'),
    /^the record at byte 0 cannot be decoded as gzip: /,
  ],
])('%s is a broken record, and the next is read', async (_, content, reason) => {
  expect(await readAll(Buffer.concat([content, ...WET.slice(3)]))).toEqual([
    { kind: 'broken', reason: expect.stringMatching(reason) },
    TEXTS[2],
  ])
})

const whole = Buffer.concat(WET)

test.each([
  ['is no archive', Buffer.from('{"text":"a"}\n'), 'no header of a WARC record is found, in the record at byte 0'],
  ['ends within a text', whole.subarray(0, -6), /the file ends after 4 of its 6 bytes, in the record at byte \d+/],
  ['ends within a header', whole.subarray(0, -60), 'no header of a WARC record is found'],
  ['has a record without length', Buffer.from('WARC/1.0\r\nWARC-Type: conversion\r\n\r\nabc'), 'Content-Length is missing'],
  ['has a record of negative length', Buffer.from('WARC/1.0\r\nContent-Length: -1\r\n\r\nabc'), 'Content-Length is missing'],
  [
    'has a record longer than the file',
    Buffer.from('WARC/1.0\r\nContent-Length: 99999999999\r\n\r\nabc'),
    'the file ends within its 99999999999 bytes',
  ],
])('a file that %s is refused', async (_, content, message) => {
  await expect(readAll(content)).rejects.toMatchObject({ code: 'IL_FILE', message: expect.stringMatching(message) })
})

test('an empty file has no records', async () => {
  expect(await readAll(Buffer.alloc(0))).toEqual([])
})

test.prop([fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })])(
  'pieces are the same in whatever chunks the bytes come',
  async (sizes) => {
    const bytes = Buffer.from('\n\nhead|0123456789tail')
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + (sizes[turn % sizes.length] ?? 1)
        yield bytes.subarray(at, end)
        at = end
      }
    }
    const reader = byteReader(chunks())
    expect(await reader.skipAll(new Set([10]))).toBe(true)
    expect(String(await reader.upTo(Buffer.from('|'), 10))).toBe('head|')
    expect(String(await reader.take(4))).toBe('0123')
    expect(await reader.skip(6)).toBe(6)
    expect(reader.position()).toBe(17)
    expect(String(await reader.take(100))).toBe('tail')
    expect(await reader.skipAll(new Set())).toBe(false)
  },
)
