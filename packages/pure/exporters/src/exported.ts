// What an exporter answers: the text, and what of the plan the target cannot say. A warning is not a failure: the text runs, but
// not exactly as it was predicted.

import type { TrainingPlan } from '@ironlaw/contracts'
import { quantity, show } from '@ironlaw/units'

export type Exported = { readonly text: string; readonly warnings: readonly string[] }

/** A warning where the condition holds, nothing where it does not. */
export const warn = (when: boolean, warning: string): readonly string[] => (when ? [warning] : [])

/** What every text says of itself. Names come from people: a line break in one must not become a line of a script. */
export function headLines(plan: TrainingPlan): readonly string[] {
  const { step_s, mfu, duration_s } = plan.prediction
  return [
    `Ironlaw ${plan.id}: ${oneLine(plan.name)}`,
    `${oneLine(plan.model.name)} on ${plan.fleet.devices} x ${oneLine(plan.fleet.accelerator)}`,
    `Predicted: ${show(quantity(step_s, 's'), 's')} per step at ${show(quantity(mfu * 100, '1'), '1')} % MFU, ${show(quantity(duration_s, 's'), 's')} in all`,
  ]
}

export const comment = (lines: readonly string[]): readonly string[] => lines.map((line) => `# ${line}`)

/** A word as a shell takes it; plain ones stay as they are. */
export const shellWord = (word: string): string => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)

const oneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
