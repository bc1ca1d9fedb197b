// Whether a version is meant for what the release will have it do, and whether whoever reads its card finds what a card needs.

import type { KnownFact, VersionFact } from '@ironlaw/contracts/model-registry'
import type { ReleaseGate } from '@ironlaw/contracts/release-spec'
import type { GateFinding } from './gate-findings.ts'
import { HOW_TO_STATE, lackingCardFacts } from './version-facts.ts'

export function cardFinding(known: readonly KnownFact[]): GateFinding {
  const lacking = lackingCardFacts(known)
  return {
    kind: 'card',
    verdict: lacking.length === 0 ? 'as-good' : 'worse',
    why: lacking.length === 0 ? 'all that a card needs is known' : `a card would lack ${lacking.join(', ')}`,
    wouldChange: lacking.length === 0 ? 'one of them missing' : `state ${lacking.join(', ')} at export, or under "facts"`,
    figures: [],
  }
}

type Scope = NonNullable<ReleaseGate['scope']>

/** One question of a scope: what will be served, against what the version says of itself. */
type ScopePart = { readonly fact: VersionFact; readonly state: 'covered' | 'beyond' | 'unknown'; readonly why: string }

/** Where nobody said what a version is meant for, nothing is known: more facts decide it. */
export function scopeFinding(known: readonly KnownFact[], scope: Scope): GateFinding {
  const parts = scopeParts(known, scope)
  const beyond = parts.filter(({ state }) => state === 'beyond')
  const unknown = parts.filter(({ state }) => state === 'unknown')
  const shown = beyond.length > 0 ? beyond : unknown.length > 0 ? unknown : parts
  return {
    kind: 'scope',
    verdict: beyond.length > 0 ? 'worse' : unknown.length > 0 ? 'undecided' : 'as-good',
    why: shown.map(({ why }) => why).join('; '),
    wouldChange:
      beyond.length > 0
        ? 'a version that is meant for it, or a smaller scope'
        : unknown.length > 0
          ? unknown.map(({ fact }) => HOW_TO_STATE[fact]).join('; or ')
          : 'a use, language or length beyond what it is meant for',
    figures: [],
  }
}

function scopeParts(known: readonly KnownFact[], { use, languages, context_tokens }: Scope): readonly ScopePart[] {
  const valueOf = (fact: VersionFact): KnownFact['value'] | undefined => known.find((each) => each.fact === fact)?.value
  return [
    ...(use === undefined ? [] : [namesPart('intended_use', [use], valueOf('intended_use'))]),
    ...(languages === undefined ? [] : [namesPart('languages', languages, valueOf('languages'))]),
    ...(context_tokens === undefined ? [] : [contextPart(context_tokens, valueOf('context_tokens'))]),
  ]
}

const NOUNS = { intended_use: 'for', languages: 'for languages' } as const

function namesPart(fact: keyof typeof NOUNS, wanted: readonly string[], value: KnownFact['value'] | undefined): ScopePart {
  if (value === undefined) return { fact, state: 'unknown', why: `its ${fact} is not known` }
  const stated = namesIn(fact, value)
  const outside = wanted.filter((each) => !stated.has(folded(each)))
  const meant = `it is meant ${NOUNS[fact]} ${[...stated].join(', ')}`
  return outside.length === 0
    ? { fact, state: 'covered', why: meant }
    : { fact, state: 'beyond', why: `${meant}, and is to serve ${outside.join(', ')}` }
}

const folded = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, ' ')

/** A list, or text: of languages with commas between them; a use may have commas of its own. */
function namesIn(fact: keyof typeof NOUNS, value: KnownFact['value']): ReadonlySet<string> {
  const stated = Array.isArray(value) ? value : fact === 'languages' && typeof value === 'string' ? value.split(',') : [value]
  return new Set(stated.map((each) => folded(typeof each === 'string' ? each : JSON.stringify(each))))
}

function contextPart(wanted: number, value: KnownFact['value'] | undefined): ScopePart {
  const stated = Number(value)
  if (value === undefined || !Number.isFinite(stated))
    return { fact: 'context_tokens', state: 'unknown', why: 'its context_tokens are not known' }
  return {
    fact: 'context_tokens',
    state: wanted <= stated ? 'covered' : 'beyond',
    why: `it takes ${stated} tokens, and is to serve ${wanted}`,
  }
}
