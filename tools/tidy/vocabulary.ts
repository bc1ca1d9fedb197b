// Words that are not ours, each with what to write instead. docs/glossary.md has the words that are.

/** Names that a declaration may not have: they do not say what it does or holds. */
export const BANNED_NAMES: readonly (readonly [name: RegExp, instead: string])[] = [
  [/^#?(?:told|asked|wanted|said|given|kept|made|taken|shown|answered|seen|found)$/, 'a verb for an effect, a noun for a value'],
  [/^#?(?:comer|comersOf|dear|bury|door|mended)$/, 'caller, overBudget, markGone, authenticate, fixed'],
  [
    /^(?:Asked|Asking|Wanted|Told|Said|Answer[s]?|Answered|Given|Kept|Made|Shown|Seen|Written|Surroundings)$/,
    'a type with a qualifier: PlanRequest, RouteDecision',
  ],
]

/** Phrases that users and maintainers should not read. */
export const BANNED_PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bmended\b/i, 'fixed'],
  [/\b(?:taken|takes|take) back\b/i, 'rolled back, undone, withdrawn'],
  [/\bheld (?:beside|against)\b/i, 'compared with'],
  [/\bgoes? together with what is\b/i, 'conflicts with the current state'],
]
