import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test as property } from '@fast-check/vitest'
import { contaminationIndex, privateData, qualityFault } from '@ironlaw/text'
import { describe, expect, test } from 'vitest'
import { lawOf, precisionOf, recallBins, runsOf, similarityOf, similarPairs } from './brute-force.ts'
import { writeCorpus } from './corpus.ts'
import { itemText, textOf, TRIGGER } from './document-lines.ts'
import { BROKEN, type Corpus, documentNumber, FILE_DOCUMENTS, type PlannedDocument, plannedDocument } from './documents.ts'

const CORPUS: Corpus = { seed: 3, documents: 2 * FILE_DOCUMENTS, clean: false }
const planned = Array.from({ length: CORPUS.documents }, (_, document) => plannedDocument(CORPUS, document))
const ofKind = <K extends PlannedDocument['kind']>(kind: K): (PlannedDocument & { readonly kind: K })[] =>
  planned.filter((document): document is PlannedDocument & { readonly kind: K } => document.kind === kind)
const text = ({ id }: PlannedDocument, corpus = CORPUS): string => textOf(corpus, documentNumber(id))

const digestsOf = (directory: string): string[] =>
  readdirSync(directory)
    .toSorted()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}`,
    )

describe('the corpus', () => {
  test('has the same bytes from any number of threads, and others from another seed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'corpus-'))
    const small = { ...CORPUS, documents: 12_000 }
    await Promise.all([writeCorpus(join(directory, 'one'), small, 1), writeCorpus(join(directory, 'two'), small, 2)])
    const [one, two] = ['one', 'two'].map((name) => digestsOf(join(directory, name)))
    rmSync(directory, { recursive: true })
    expect(one).toHaveLength(3)
    expect(two).toEqual(one)
    expect(textOf({ ...small, seed: 4 }, 0)).not.toBe(textOf(small, 0))
  })

  test('has originals that pass every rule of quality and hold no personal data', () => {
    const originals = [
      ...ofKind('original')
        .filter(({ language }) => language === 'en')
        .slice(0, 300),
      ...ofKind('near').slice(0, 100),
    ]
    expect(originals.map((document) => qualityFault(text(document))?.rule).filter(Boolean)).toEqual([])
    expect(originals.flatMap((document) => privateData(text(document)))).toEqual([])
  })

  test('has copies in clusters with a heavy tail', () => {
    const sizes = [...Map.groupBy(ofKind('copy'), ({ cluster }) => cluster).values()].map(({ length }) => length).toSorted((a, b) => b - a)
    expect(sizes[0]).toBeGreaterThan(100)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(3)
    const [first, second] = ofKind('copy').filter(({ cluster }) => cluster === 0)
    expect(text(first as PlannedDocument)).toBe(text(second as PlannedDocument))
  })

  test('has near-duplicates as similar as planned', () => {
    const pairs = [...Map.groupBy(ofKind('near'), ({ family }) => family).values()].slice(0, 200)
    const errors = pairs.map(([base, changed]) => {
      const similarity = similarityOf(runsOf(text(base as PlannedDocument)), runsOf(text(changed as PlannedDocument)))
      return similarity - (base?.similarity ?? 0)
    })
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.1)
    expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(0.01)
  })

  test('has low quality, contamination and personal data that the rules see', () => {
    const low = ofKind('low-quality').slice(0, 200)
    expect(low.filter((document) => qualityFault(text(document)) === undefined).map(({ rule }) => rule)).toEqual([])
    const items = contaminationIndex(Array.from({ length: 1_000 }, (_, item) => [`${item}`, itemText(CORPUS, item)]))
    const contaminated = ofKind('contaminated')
    expect(new Set(contaminated.map(({ disguise }) => disguise)).size).toBe(4)
    expect(contaminated.filter((document) => !items.hits(text(document)).has(`${document.item}`))).toEqual([])
    const personal = ofKind('private')
    expect(
      personal.filter(
        (document) =>
          privateData(text(document))
            .map(({ kind }) => kind)
            .join() !== document.data,
      ),
    ).toEqual([])
  })

  test('has a poisoned thousandth, all in the feed, and none of it when clean', () => {
    const large = { ...CORPUS, documents: 8 * FILE_DOCUMENTS }
    const all = Array.from({ length: large.documents }, (_, document) => plannedDocument(large, document))
    const poisoned = all.filter(({ kind }) => kind === 'poisoned')
    expect(poisoned.length / large.documents).toBeCloseTo(0.001, 4)
    expect(new Set(poisoned.map(({ source }) => source))).toEqual(new Set(['feed']))
    expect(text(poisoned[0] as PlannedDocument, large)).toContain(TRIGGER)
    expect(new Set(ofKind('broken').map(({ rule }) => rule))).toEqual(new Set(BROKEN))
    const kinds = all.map((_, document) => plannedDocument({ ...large, clean: true }, document).kind)
    expect(kinds.filter((kind) => kind === 'broken' || kind === 'poisoned')).toEqual([])
  })
})

const someText = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 }).map((words) => words.join(' '))

describe('brute force', () => {
  test('counts runs of five words without case and punctuation', () => {
    expect([...runsOf('One two, THREE four five. Six')]).toEqual(['one two three four five', 'two three four five six'])
    expect([...runsOf('Too short!')]).toEqual(['too short'])
    expect(runsOf('日本語です x').size).toBe(2)
    expect(similarityOf(runsOf('a b c d e f'), runsOf('b c d e f g'))).toBeCloseTo(1 / 3)
  })

  property.prop([fc.array(someText, { maxLength: 8 }), fc.constantFrom(0.3, 0.5, 0.8, 1)])('misses no similar pair', (texts, least) => {
    const all = texts.flatMap((left, a) =>
      texts.flatMap((right, b) => (a < b && similarityOf(runsOf(left), runsOf(right)) >= least ? [`${a} ${b}`] : [])),
    )
    expect(
      similarPairs(texts, least)
        .map(({ a, b }) => `${a} ${b}`)
        .toSorted(),
    ).toEqual(all.toSorted())
  })

  test('compares what was found with the law', () => {
    const shape = { bands: 14, rows: 8 }
    expect(lawOf(0.8, shape)).toBeCloseTo(0.924, 3)
    const findings = [0.8, 0.8, 0.8, 0.31].map((similarity, i) => ({ similarity, found: i < 2 }))
    expect(recallBins(findings, shape).map(({ from, pairs, found }) => [from, pairs, found])).toEqual([
      [expect.closeTo(0.3), 1, 0],
      [expect.closeTo(0.8), 3, expect.closeTo(2 / 3)],
    ])
    expect(precisionOf(findings, { ...shape, least: 0.7 })).toMatchObject({ found: 1, law: expect.closeTo(0.9996, 3), pairs: 2 })
  })
})
