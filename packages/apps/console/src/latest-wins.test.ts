import { expect, test } from 'vitest'
import { LatestWins, type Port } from './latest-wins.ts'

type Message = { readonly id: number; readonly ask: string }
type WorkerAnswer = { readonly id: number; readonly answer: string }

function world() {
  const posted: Message[] = []
  const told: string[] = []
  const tells: ((answer: WorkerAnswer) => void)[] = []
  const clock = { time: 0, now: () => clock.time }
  let ended = 0
  const start = (tell: (answer: WorkerAnswer) => void): Port => {
    tells.push(tell)
    return { post: (message) => posted.push(message as Message), end: () => (ended += 1) }
  }
  const asker = new LatestWins<string, WorkerAnswer>(start, ({ answer }, question) => told.push(`${question}: ${answer}`), clock)
  const answer = (worker = -1): void => tells.at(worker)?.({ id: posted.at(-1)?.id ?? 0, answer: 'done' })
  return { asker, posted, told, tells, clock, answer, ended: () => ended }
}

test('of the questions that arrive while one runs only the last is sent', () => {
  const { asker, posted, told, answer } = world()
  for (const question of ['a', 'b', 'c', 'd']) asker.ask(question)
  expect(posted.map(({ ask }) => ask)).toEqual(['a'])
  answer()
  expect(posted.map(({ ask }) => ask)).toEqual(['a', 'd'])
  answer()
  expect(told).toEqual(['a: done', 'd: done'])
})

test('a worker that takes too long is terminated, and its late answer is dropped', () => {
  const { asker, posted, told, tells, clock, ended } = world()
  asker.ask('slow')
  clock.time = 5000
  asker.ask('new')
  expect([ended(), tells.length, posted.map(({ ask }) => ask)]).toEqual([1, 2, ['slow', 'new']])
  tells[0]?.({ id: 1, answer: 'late' })
  tells[1]?.({ id: 2, answer: 'done' })
  expect(told).toEqual(['new: done'])
})
