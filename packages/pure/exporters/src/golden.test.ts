import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportPlan, type Target, TARGETS } from './export-plan.ts'
import { PLAN_INPUTS, planFrom } from './golden/plans.ts'
import type { LaunchProgram } from './slurm.ts'

const PLANS = Object.entries(PLAN_INPUTS)
const TARGET_NAMES = Object.keys(TARGETS) as readonly Target[]
const PROGRAM: Readonly<Record<string, LaunchProgram>> = { 'llama-8b': 'torchtitan', 'llama-405b': 'megatron', mixtral: 'deepspeed' }

/** `UPDATE=1 vitest run golden` rewrites the files; the difference is then read by a person. */
function expectGolden(name: string, text: string): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`)
  if (process.env['UPDATE'] === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test.each(PLANS.flatMap(([name, given]) => TARGET_NAMES.map((target) => ({ name, given, target }))))(
  '$name for $target',
  ({ name, given, target }) => {
    const { text } = exportPlan(planFrom(given), target, { program: PROGRAM[name] ?? 'megatron' })
    expectGolden(`${name}.${target}`, text)
  },
)

test.each(PLANS)('%s: what the targets cannot express', (name, given) => {
  const lines = TARGET_NAMES.flatMap((target) => exportPlan(planFrom(given), target).warnings.map((warning) => `${target}: ${warning}\n`))
  expectGolden(`${name}.warnings`, lines.join(''))
})
