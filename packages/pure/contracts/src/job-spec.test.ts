import { describe, expect, test } from 'vitest'
import { jobSpecSchema, parseJobSpec } from './job-spec.ts'

const JOB = { apiVersion: 'ironlaw/v1', kind: 'Job', name: 'ddp', command: 'python3 ddp.py' }
const { command, ...NOTHING_TO_RUN } = JOB
const parseJob =
  (over: object, of: object = JOB) =>
  () =>
    parseJobSpec({ ...of, ...over }, 'job.yaml')

test('a name and a command are enough', () => {
  expect(parseJobSpec(JOB, 'job.yaml')).toEqual({
    ...JOB,
    directory: '.',
    environment: {},
    resources: { nodes: 1 },
    project: 'default',
    command,
  })
})

test('everything a job may say', () => {
  const whole = {
    ...NOTHING_TO_RUN,
    program: ['ddp.py', '--epochs', '3'],
    resources: { nodes: 2, processesPerNode: 4, accelerators: { kind: 'h100-sxm', perNode: 4 }, cpusPerProcess: 8, memory: '200 GB' },
    timeLimit: '12h',
    retries: 0,
    steps: { pattern: 'step (?<step>\\d+).*loss (?<loss>[\\d.]+)', total: 200 },
    checkpointEvery: '30min',
  }
  expect(parseJobSpec(whole, 'job.yaml')).toMatchObject(whole)
})

describe('mistakes are named by their field', () => {
  for (const [what, over, message] of [
    ['both', { program: ['x'] }, 'command: either a command or a program is needed, and not both'],
    ['a field of a training spec', { model: 'llama-3.1-8b' }, 'model: unknown field'],
    ['a slip', { resources: { node: 2 } }, 'resources.node: unknown field; did you mean nodes or processesPerNode?'],
    ['a time without its unit', { timeLimit: '12' }, 'timeLimit: '],
    ['a name that is none', { name: 'My Job' }, 'name: must be lower-case letters'],
    ['a pattern without a step', { steps: { pattern: 'loss (?<loss>.*)' } }, 'steps.pattern: a group named step is missing'],
    ['a pattern with a group of no use', { steps: { pattern: '(?<step>1)(?<lr>2)' } }, 'there is no use for a group named "lr"'],
    ['a pattern that is none', { steps: { pattern: '(?<step>\\d+' } }, 'steps.pattern: is no regular expression'],
    ['a pattern of a thousand characters', { steps: { pattern: `(?<step>1)${'x'.repeat(1000)}` } }, 'steps.pattern: '],
  ] as const)
    test(what, () => expect(parseJob(over)).toThrow(message))
})

test('there has to be something to run', () =>
  expect(parseJob({}, NOTHING_TO_RUN)).toThrow('command: either a command or a program is needed, and not both'))

test('groups are written as Python or as others write them', () => {
  expect(parseJob({ steps: { pattern: '(?P<step>\\d+)' } })).not.toThrow()
  expect(parseJob({ steps: { pattern: '(?<=it )(?<step>\\d+)' } })).not.toThrow()
})

test('a pattern that would backtrack for ever costs nothing here', () => {
  const before = performance.now()
  expect(parseJob({ steps: { pattern: '(?<step>(a+)+)$' } })).not.toThrow()
  expect(performance.now() - before).toBeLessThan(1000)
})

test('the schema for editors says which fields there are', () => {
  expect(jobSpecSchema()).toMatchObject({ type: 'object', required: ['apiVersion', 'kind', 'name'], additionalProperties: false })
})
