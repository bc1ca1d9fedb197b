import { expect, test } from 'vitest'
import { StepGate } from './step-gate.ts'

const turnOfLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('the sequence that is ready first waits for the others, and then all go together', async () => {
  const gate = new StepGate()
  const steps: string[] = []
  const worker = async (name: string, turns: number): Promise<void> => {
    gate.enter()
    for (let step = 0; step < 4; step += 1) {
      await gate.waitTurn(0)
      steps.push(`${name}${step}`)
      for (let turn = 0; turn < turns; turn += 1) await turnOfLoop()
      gate.finishStep()
    }
    gate.leave()
  }
  const slow = worker('slow', 5)
  await turnOfLoop()
  await Promise.all([slow, worker('quick', 1), worker('other', 2)])
  // The first step of the slow one is under way when the others come; from then on they are in step.
  expect(steps).toEqual([
    'slow0',
    'quick0',
    'other0',
    'slow1',
    'quick1',
    'other1',
    'slow2',
    'quick2',
    'other2',
    'slow3',
    'quick3',
    'other3',
  ])
})

test('one that leaves does not hold up the rest', async () => {
  const gate = new StepGate()
  gate.enter()
  gate.enter()
  await Promise.all([gate.waitTurn(0), gate.waitTurn(1)])
  gate.finishStep()
  const next = gate.waitTurn(0)
  gate.finishStep()
  await next
})

test('one alone does not wait for the turn of the event loop', async () => {
  const gate = new StepGate()
  gate.enter()
  let turned = false
  setImmediate(() => (turned = true))
  for (let step = 0; step < 5; step += 1) {
    await gate.waitTurn(0)
    gate.finishStep()
  }
  expect(turned).toBe(false)
})

test('whatever order they come in, they ask in the order of their places', async () => {
  const gate = new StepGate()
  const asked: number[] = []
  const places = [3, 10, 0, 2]
  for (const _ of places) gate.enter()
  await Promise.all(places.map((place) => gate.waitTurn(place).then(() => asked.push(place))))
  expect(asked).toEqual([0, 2, 3, 10])
})
