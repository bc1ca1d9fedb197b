// Rows in the shape of openai_humaneval and mbpp (full and sanitized), shortened and with tasks of our own.

import { describe, expect, test } from 'vitest'
import { programItems } from './program-imports.ts'

const HEAD = 'def double(x: int) -> int:\n    """Twice the number."""\n'
const human = { task_id: 'HumanEval/0', prompt: HEAD, entry_point: 'double', canonical_solution: '    return 2 * x\n' }
const check = 'def check(candidate):\n    assert candidate(2) == 4\n'

describe('programming tasks', () => {
  test('the head of a function is asked for and stands before the answer; its check runs', () => {
    expect(programItems([{ ...human, test: check }], 'humaneval', 'rows.jsonl')).toMatchObject([
      { kind: 'program', id: 'HumanEval/0', prompt: HEAD, before: HEAD, tests: `${check}\n\ncheck(double)\n` },
    ])
  })

  test('a task in words shows its tests, and runs those that it hides too', () => {
    const row = { task_id: 11, text: 'Double a number.', code: 'x', test_list: ['assert double(2) == 4', 'assert double(0) == 0'] }
    const [item] = programItems([{ ...row, test_setup_code: 'import math', challenge_test_list: ['assert double(-1) == -2'] }], 'mbpp', 'r')
    expect(item).toMatchObject({ id: '11', before: '', until: ['[DONE]'] })
    expect(item?.prompt).toContain(
      'Double a number. Your code should pass these tests:\n\nassert double(2) == 4\nassert double(0) == 0\n[BEGIN]\n',
    )
    expect(item?.tests).toBe('import math\nassert double(2) == 4\nassert double(0) == 0\nassert double(-1) == -2')
    const sanitized = { task_id: 2, prompt: 'Double it.', test_imports: ['import math'], test_list: ['assert double(2) == 4'] }
    expect(programItems([sanitized], 'mbpp', 'r')).toMatchObject([{ tests: 'import math\nassert double(2) == 4' }])
  })

  test.each([
    ['humaneval', { ...human }, 'rows.jsonl:1: test: '],
    ['humaneval', { ...human, test: check, entry_point: 'os.system' }, 'rows.jsonl:1: entry_point: is not the name of a function'],
    ['mbpp', { task_id: 1, text: 'x', test_list: [] }, 'rows.jsonl:1: test_list'],
    ['mbpp', { task_id: 1, test_list: ['assert a'] }, 'rows.jsonl:1: text: missing'],
  ] as const)('%s %j is refused', (as, row, problem) => expect(() => programItems([row], as, 'rows.jsonl')).toThrow(problem))

  test('a task that is there twice is refused', () => {
    const row = { ...human, test: check }
    expect(() => programItems([row, row], 'humaneval', 'rows.jsonl')).toThrow('"HumanEval/0" is there twice')
  })
})
