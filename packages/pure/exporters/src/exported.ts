// What an exporter answers: the text, what of the plan the target cannot say, and why it could not run the plan at all. A text with
// warnings runs, but not exactly as it was predicted; one with something impossible does not run, or trains another model.

import type { TrainingPlan } from '@ironlaw/contracts'
import { quantity, show } from '@ironlaw/units'

export type ExportedPlan = {
  readonly text: string
  readonly warnings: readonly string[]
  /** Why the target cannot run this plan; empty when it can. */
  readonly impossible: readonly string[]
}

/** A warning where the condition holds, nothing where it does not. */
export const warningIf = (when: boolean, warning: string): readonly string[] => (when ? [warning] : [])

/** What every text says of itself. Names come from people: a line break in one must not become a line of a script. */
export function headLines(plan: TrainingPlan): readonly string[] {
  const { step_s, mfu, duration_s } = plan.prediction
  return [
    `Ironlaw ${plan.id}: ${oneLine(plan.name)}`,
    `${oneLine(plan.model.name)} on ${plan.fleet.devices} x ${oneLine(plan.fleet.accelerator)}`,
    `Predicted: ${show(quantity(step_s, 's'), 's')} per step at ${show(quantity(mfu * 100, '1'), '1')} % MFU, ${show(quantity(duration_s, 's'), 's')} in all`,
  ]
}

/** The text itself says what of the plan it does not carry: standard error is gone by the time the file is read. */
export const caveatLines = ({ warnings = [], impossible = [] }: Partial<ExportedPlan>): readonly string[] => [
  ...impossible.map((reason) => `Does not run: ${oneLine(reason)}`),
  ...warnings.map((warning) => `Not expressed: ${oneLine(warning)}`),
]

export const commentLines = (lines: readonly string[]): readonly string[] => lines.map((line) => `# ${line}`)

/** A word as a shell takes it; plain ones stay as they are. */
export const shellWord = (word: string): string => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)

export const oneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
