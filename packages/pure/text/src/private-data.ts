// Where a text has personal data or secrets. Forms that can be checked are (Luhn, ranges of numbers, lengths), since a false hit destroys text.

export type PrivateDataKind = 'email' | 'ip' | 'phone' | 'card' | 'api-key'

/** From start up to end, in code units of the text. */
export type PrivateDataSpan = { readonly kind: PrivateDataKind; readonly start: number; readonly end: number }

type Form = {
  readonly kind: PrivateDataKind
  readonly pattern: RegExp
  /** Texts without it are not searched. */
  readonly needs?: string
  readonly accepts?: (match: string) => boolean
}

const digitsOf = (text: string): number[] => [...text.replaceAll(/\D/g, '')].map(Number)

/** ISO/IEC 7812: every second digit from the right doubled, the sum of all digits a multiple of ten. */
function passesLuhn(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .map((digit, i) => (i % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9))
    .reduce((total, digit) => total + digit, 0)
  return sum % 10 === 0
}

/** Keys are random: a placeholder such as AKIAXXXXXXXXXXXXXXXX uses few characters. */
const looksRandom = (key: string): boolean => new Set(key).size >= 10

/** In order of precedence: what an earlier form has taken a later one does not get. */
const FORMS: readonly Form[] = [
  {
    kind: 'api-key',
    // AWS, GitHub, GitLab, Slack, Google, Stripe, Hugging Face, OpenAI and Anthropic, by their published prefixes.
    pattern:
      /(?<![\w-])(?:A(?:KI|SI)A[A-Z2-7]{16}|gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{82}|glpat-[\w-]{20}|xox[abprs]-[\w-]{20,}|AIza[\w-]{35}|[rs]k_live_[A-Za-z0-9]{24,}|hf_[A-Za-z]{34}|sk-[\w-]{32,})(?![\w-])/g,
    accepts: looksRandom,
  },
  {
    kind: 'email',
    needs: '@',
    pattern: /(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}(?![\w-])/g,
    accepts: (match) => !/\.\.|\.@/.test(match),
  },
  {
    kind: 'card',
    pattern:
      /(?<![\d.-])(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6011|65\d{2})([ -]?)\d{4}\1\d{4}\1\d{4}(?![\d-])|(?<![\d.-])3[47]\d{2}([ -]?)\d{6}\2\d{5}(?![\d-])/g,
    accepts: passesLuhn,
  },
  { kind: 'ip', pattern: /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\w]|\.\d)/g },
  {
    kind: 'phone',
    // With a country code, or as North America writes them: bare runs of digits are rarely phone numbers.
    pattern: /(?<![\w+.-])(?:\+[1-9](?:[ .-]?\(?\d{1,4}\)?){2,6}|(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4})(?![\w-])/g,
    accepts: (match) => digitsOf(match).length >= 8 && digitsOf(match).length <= 15,
  },
]

/** Spans that do not overlap, in order. */
export function privateData(text: string): PrivateDataSpan[] {
  const spans: PrivateDataSpan[] = []
  for (const { kind, pattern, needs = '', accepts } of FORMS) {
    if (!text.includes(needs)) continue
    for (const match of text.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      if (accepts?.(match[0]) === false || spans.some((span) => start < span.end && span.start < end)) continue
      spans.push({ kind, start, end })
    }
  }
  return spans.toSorted((a, b) => a.start - b.start)
}
