// Fields of plans and revisions in the words of the other pages, with the unit that the name of a figure ends in.

import { isStepCause, STEP_CAUSE_INFO } from '@ironlaw/contracts'
import { type BaseUnit, quantity, show } from '@ironlaw/units'

/** What cards and units say already. */
const OMITTED = new Set(['prediction', 'decision', 'plan'])

const WORDS: Readonly<Record<string, string>> = {
  causes: 'step',
  duration: 'whole run',
  memory: 'memory per device',
  argv: 'command',
}

const UNITS: Readonly<Record<string, BaseUnit>> = { s: 's', bytes: 'B', usd: 'USD', j: 'J', g: 'gCO2e' }

/** A rate ends in the unit of time that it is counted by. */
const UNIT_SUFFIX = /(?<!_per)_(s|bytes|usd|j|g)$/

/** `prediction.causes_s.products` is "step: matrix products"; names of variables, which are upper case, stay. */
export const fieldWords = (path: string): string =>
  path
    .split('.')
    .filter((part) => !OMITTED.has(part))
    .map((part) => (isStepCause(part) && path.includes('_s.') ? STEP_CAUSE_INFO[part].words : partWords(part.replace(UNIT_SUFFIX, ''))))
    .join(': ') || path

function partWords(part: string): string {
  if (!/[a-z]/.test(part)) return part
  const spaced = part
    .replace(/_(low|high)$/, ', $1 end')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return WORDS[spaced] ?? spaced.replaceAll(/\b(?:mfu|ttft|tpot)\b/g, (word) => word.toUpperCase())
}

/** With its unit, where the field or the one around it names one. */
export function figureText(path: string, value: number): string {
  const [suffix] = path.split('.').flatMap((part) => UNIT_SUFFIX.exec(part)?.[1] ?? [])
  const unit = suffix === undefined ? undefined : UNITS[suffix]
  return unit ? show(quantity(value, unit), unit, 4) : Number(value.toPrecision(6)).toLocaleString('en', { maximumSignificantDigits: 6 })
}
