// Published sets of programming tasks as items: rows of HumanEval and of MBPP, and of sets that are written like them. A separate entry point, as
// everything that loads zod.

import * as z from 'zod'
import { IronlawError } from './error.ts'
import { type EvaluationItem, type ItemInput, parseItem } from './evaluation-items.ts'
import { parseSpec } from './spec-format.ts'

const text = z.string().min(1, 'must not be empty')

const FUNCTION = z.looseObject({
  task_id: z.union([z.string(), z.int()]),
  prompt: text,
  test: text,
  entry_point: z.string().regex(/^[A-Za-z_]\w*$/, 'is not the name of a function'),
})

const PROBLEM = z
  .looseObject({
    task_id: z.union([z.string(), z.int()]),
    text: text.optional(),
    prompt: text.optional(),
    test_list: z.array(text).min(1),
    test_setup_code: z.string().default(''),
    test_imports: z.array(z.string()).default([]),
    challenge_test_list: z.array(text).default([]),
  })
  .refine(({ text: own, prompt }) => own !== undefined || prompt !== undefined, { path: ['text'], message: 'missing' })

/** What begins after the function that was asked for; a model that continues text would go on with it. */
const FUNCTION_ENDS = ['\nclass ', '\ndef ', '\n#', '\n@', '\nprint', '\nif ', '\nassert ']
const FUNCTION_TOKENS = 1024

/** As HumanEval: the head of a function to go on with, and a `check` of it. */
function functionItem(row: unknown, where: string): Omit<ItemInput<'program'>, 'id'> & { readonly id: unknown } {
  const { task_id: id, prompt, test, entry_point } = parseSpec({ schema: FUNCTION, fields: {} }, row, where)
  const tests = `${test}\n\ncheck(${entry_point})\n`
  return { id, prompt, before: prompt, tests, until: FUNCTION_ENDS, most_tokens: FUNCTION_TOKENS }
}

const PROBLEM_END = '[DONE]'

/** As MBPP: a task in words with the tests that its program must pass, shown in the words of the paper. */
function problemItem(row: unknown, where: string): Omit<ItemInput<'program'>, 'id'> & { readonly id: unknown } {
  const { task_id: id, text: task, prompt = task ?? '', ...given } = parseSpec({ schema: PROBLEM, fields: {} }, row, where)
  const shown = given.test_list.join('\n')
  return {
    id,
    prompt: `You are an expert Python programmer, and here is your task: ${prompt} Your code should pass these tests:\n\n${shown}\n[BEGIN]\n`,
    tests: [given.test_setup_code, ...given.test_imports, ...given.test_list, ...given.challenge_test_list].filter(Boolean).join('\n'),
    until: [PROBLEM_END],
    most_tokens: FUNCTION_TOKENS,
  }
}

const ROWS = { humaneval: functionItem, mbpp: problemItem } as const

export type ProgramRows = keyof typeof ROWS

/** Rows of JSON lines, already read. */
export function programItems(rows: readonly unknown[], as: ProgramRows, file: string): readonly EvaluationItem<'program'>[] {
  const items = rows.map((row, index) => {
    const where = `${file}:${index + 1}`
    const { id, ...fields } = ROWS[as](row, where)
    return parseItem('program', { id: String(id), ...fields }, where)
  })
  const twice = items.find(({ id }, index) => items.findIndex((other) => other.id === id) < index)
  if (twice) throw new IronlawError('IL_SPEC', { file, path: 'task_id', problem: `"${twice.id}" is there twice` })
  return items
}
