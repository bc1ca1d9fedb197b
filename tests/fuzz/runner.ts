// Runs one target in a process of its own, which may run out of memory or never come back. Started by `supervise.ts`.

import { openSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { installCounters } from './bundle.ts'
import { countersFor } from './coverage.ts'
import { Fuzzer } from './fuzzer.ts'
import { growth, heldBytes, type Sample } from './memory.ts'
import type { Assignment, Message, Progress } from './messages.ts'
import type { Target } from './target.ts'

const SLICE_MS = 200
const LEAST_MS = 1000
const SAMPLES = 40

const send = (message: Message): void => void process.send?.(message)

async function runTarget({ file, branches, words, seed, seconds, corpus, scratch }: Assignment): Promise<void> {
  const counters = installCounters(countersFor(branches))
  const { target }: { readonly target: Target } = await import(pathToFileURL(file).href)
  const current = openSync(scratch, 'w')
  const length = Buffer.alloc(4)
  const fuzzer = new Fuzzer({
    target,
    counters,
    branches,
    words,
    seed,
    corpus,
    onInput: (input) => {
      length.writeUInt32LE(input.length)
      writeSync(current, length, 0, 4, 0)
      writeSync(current, input, 0, input.length, 4)
    },
    onEntry: (input) => send({ kind: 'entry', input }),
    onFault: ({ kind, key, message, input }) => send({ kind: 'fault', fault: { kind, key, message, input } }),
  })
  const samples: Sample[] = []
  const progress = (): Progress => ({
    executions: fuzzer.executions,
    ...fuzzer.coverage.found,
    corpus: fuzzer.corpus,
    growth: growth(samples),
  })
  await fuzzer.prime()
  const began = performance.now()
  // Counted from the start of the process: loading and the first inputs are part of the share.
  const end = Math.max(began + LEAST_MS, seconds * 1000)
  for (let sampled = 0; performance.now() < end;) {
    const sliceEnd = Math.min(end, performance.now() + SLICE_MS)
    while (performance.now() < sliceEnd) await fuzzer.turn()
    const at_s = (performance.now() - began) / 1000
    if (at_s >= (sampled * seconds) / SAMPLES) {
      samples.push({ at_s, bytes: heldBytes() - fuzzer.bytes })
      sampled += 1
    }
    send({ kind: 'progress', progress: progress() })
    // Messages leave and timers of the target run between two slices.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const done: Message = { kind: 'done', progress: progress() }
  // A target may leave sockets open, which would keep the process.
  process.send?.(done, () => process.exit(0))
}

process.once('message', (assignment: Assignment) => void runTarget(assignment))
send({ kind: 'ready' })
