import { describe, expect, test } from 'vitest'
import { contaminationIndex } from './contamination.ts'

const QUESTION = 'A train leaves the station at nine in the morning and travels sixty miles an hour until noon. How far does it go?'
const SHORT = 'Which planet of the solar system has most moons?'

describe('contamination', () => {
  const index = contaminationIndex([
    ['train', QUESTION],
    ['moons', SHORT],
    ['tiny', 'What is two plus two?'],
  ])

  test('a copy is found whatever its case, punctuation and lines', () => {
    const wrapped = QUESTION.toUpperCase()
      .replaceAll(/[.?]/g, '!')
      .replaceAll(/ (\S+) /g, '\n $1\t')
    // 23 words are eleven runs of 13.
    expect([...index.hits(`before ${wrapped} after`)]).toEqual([['train', 11]])
  })

  test('thirteen words in a row are a hit, twelve are not', () => {
    const words = QUESTION.split(' ')
    expect(index.hits(words.slice(3, 16).join(' ')).get('train')).toBe(1)
    expect(index.hits(words.slice(3, 15).join(' ')).size).toBe(0)
  })

  test('an item between eight and thirteen words is found as a whole', () => {
    expect([...index.hits(`Quiz: ${SHORT} Saturn.`)]).toEqual([['moons', 1]])
    expect(index.hits('Which planet of the solar system has moons?').size).toBe(0)
  })

  test('an item of fewer than eight words is left out', () => {
    expect(index.hits('What is two plus two? What is two plus two?').size).toBe(0)
  })
})
