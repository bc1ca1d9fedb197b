// `npm run questions`: asks every question of questions.ts and writes docs/validation/questions.md. `--check` compares the
// page with the answers of today instead; ids after it ask only those and print what the planner says.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type PlannerAnswer } from './answer.ts'
import type { Found } from './expectation.ts'
import { QUESTIONS, type Question } from './questions.ts'

const PAGE = join(import.meta.dirname, '../../docs/validation/questions.md')
const AT_ONCE = 2

type Judged = {
  readonly question: Question
  readonly answer: PlannerAnswer
  readonly found: readonly (Found & { readonly expected: string })[]
}

async function judge(question: Question): Promise<Judged> {
  const answer = await ask(question.id)
  return { question, answer, found: question.expects.map(({ expected, check }) => ({ expected, ...check(answer) })) }
}

async function judgeAll(questions: readonly Question[]): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  const waiting = questions.map((question, index) => ({ question, index }))
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      judged[next.index] = await judge(next.question)
      if (process.stderr.isTTY) process.stderr.write(`\r${judged.filter(Boolean).length} of ${questions.length} questions`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return judged
}

const right = ({ found }: Judged): boolean => found.every(({ holds }) => holds)

function page(judged: readonly Judged[]): string {
  const rows = judged.map(
    ({ question, found, ...rest }) =>
      `| [${question.id.toUpperCase()}](questions/${question.id}.yaml) | ${question.asks} | ${found.map(({ expected }) => expected).join('; ')} | ${found
        .map((one) => (one.holds ? one.found : `**${one.found}**`))
        .join('; ')} | ${right({ question, found, ...rest }) ? 'yes' : '**no**'} |`,
  )
  return `# Questions that experts ask

Each row is a spec, what an expert expects of its answer, and what the planner answers. \`npm run questions\` asks all of them and writes this page,
\`npm run questions -- --check\` fails where an answer has changed; \`npm run questions -- t9\` shows one answer in full. T are questions
about training, S about serving, F about failures. As expected: ${judged.filter(right).length} of ${judged.length}.

| question | asked | expected | answered | as expected |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

const words = process.argv.slice(2)
const checks = words[0] === '--check'
const ids = checks ? [] : words
const chosen = ids.length === 0 ? QUESTIONS : QUESTIONS.filter(({ id }) => ids.includes(id))
const judged = await judgeAll(chosen)

if (ids.length > 0) {
  for (const { question, answer, found } of judged) {
    console.log(`${question.id}: ${question.asks}\n\n${answer.text}`)
    for (const { holds, expected, found: what } of found) console.log(`${holds ? 'as expected' : 'NOT as expected'}: ${expected}: ${what}`)
  }
} else if (checks) {
  const same = readFileSync(PAGE, 'utf8').trim() === page(judged).trim()
  for (const { question, found } of judged)
    for (const { holds, expected, found: what } of found) if (!holds) console.log(`${question.id}: expected ${expected}; ${what}`)
  console.log(`as expected: ${judged.filter(right).length} of ${judged.length}`)
  if (!same) {
    console.log('docs/validation/questions.md is not what the planner answers now: run "npm run questions"')
    process.exitCode = 1
  }
} else {
  writeFileSync(PAGE, page(judged))
  console.log(`as expected: ${judged.filter(right).length} of ${judged.length}`)
}
