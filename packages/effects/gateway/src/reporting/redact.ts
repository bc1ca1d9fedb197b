// Takes out of a text what a log should not hold. Patterns, so neither complete nor free of false finds; the log of texts is off by default.

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/g, '[email]'],
  [/\b(?:sk|pk|ghp|xox[abp]|AKIA)[-_A-Za-z0-9]{12,200}/g, '[secret]'],
  [/\beyJ[\w-]{10,2000}\.[\w-]{10,2000}\.[\w-]{0,2000}/g, '[token]'],
  [/(?<!\d)(?:\d[ -]?){13,19}(?!\d)/g, '[card]'],
  [/(?<![\d.])\+?\d{1,3}[ -]?\(?\d{2,4}\)?[ -]?\d{3,4}[ -]?\d{3,4}(?![\d.])/g, '[phone]'],
]

export const redactedText = (text: string): string => PATTERNS.reduce((left, [pattern, word]) => left.replaceAll(pattern, word), text)
