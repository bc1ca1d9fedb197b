import type { KnownFact } from '@ironlaw/contracts/model-registry'
import { describe, expect, test } from 'vitest'
import { cardFinding, scopeFinding } from './purpose-findings.ts'
import { versionFacts } from './version-facts.ts'

const facts = (stated: Record<string, string | number | readonly string[]>): readonly KnownFact[] =>
  versionFacts({ stated, datasets: [], evaluations: 1 })

const MEANT = facts({ intended_use: 'Answers to  customers, in writing', languages: 'en, de', context_tokens: '4096' })

describe('scope', () => {
  test.each<[Parameters<typeof scopeFinding>[1], string, RegExp]>([
    [{ languages: ['de'], context_tokens: 4096, use: 'answers to customers, in writing' }, 'as-good', /4096 tokens/],
    [{ languages: ['de', 'fr'] }, 'worse', /languages en, de, and is to serve fr/],
    [{ context_tokens: 4097 }, 'worse', /takes 4096 tokens, and is to serve 4097/],
    [{ use: 'advice on medicine' }, 'worse', /meant for answers to customers, in writing, and is to serve advice on medicine/],
  ])('%j is %s', (scope, verdict, why) => {
    expect(scopeFinding(MEANT, scope)).toMatchObject({ verdict, why: expect.stringMatching(why) })
  })

  test('a list is a list, and what nobody stated is undecided with how to state it', () => {
    expect(scopeFinding(facts({ languages: ['en', 'DE'] }), { languages: ['de'] }).verdict).toBe('as-good')
    const unknown = scopeFinding(facts({ languages: 'en' }), { languages: ['en'], context_tokens: 100 })
    expect(unknown).toMatchObject({ verdict: 'undecided', why: 'its context_tokens are not known' })
    expect(unknown.wouldChange).toContain('--fact context_tokens=')
    expect(scopeFinding(facts({ context_tokens: 'many' }), { context_tokens: 100 }).verdict).toBe('undecided')
  })

  test('what is beyond refuses, whatever else is unknown', () => {
    expect(scopeFinding(facts({ languages: 'en' }), { languages: ['fr'], context_tokens: 100 }).verdict).toBe('worse')
  })
})

test('a card names what it would lack', () => {
  const origin = { code: 'f00', data: 'corpus@3', configuration: 'c', environment: 'image@1' }
  const purpose = { intended_use: 'chat', languages: 'en', context_tokens: 4096, licence: 'apache-2.0', contact: 'ana' }
  expect(cardFinding(facts({ ...origin, ...purpose }))).toMatchObject({ verdict: 'worse', why: 'a card would lack limitations' })
  expect(cardFinding(facts({ ...origin, ...purpose, limitations: 'none known' })).verdict).toBe('as-good')
})
