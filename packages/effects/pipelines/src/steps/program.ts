// A program of the user's own as a step: it reads documents as JSON lines and answers each with a line, in order.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { IronlawError } from '@ironlaw/contracts'
import type { Document } from '../document.ts'
import type { Step } from './step.ts'

type Running = { readonly child: ChildProcessWithoutNullStreams; readonly answers: AsyncIterator<string>; readonly lines: Interface }

export function programStep(command: readonly string[], directory: string): Step {
  let running: Running | undefined
  let tail = ''
  const failed = (problem: string, cause?: unknown): IronlawError =>
    new IronlawError(
      'IL_VIOLATED',
      {
        problem: `the program ${command.join(' ')} ${problem}`,
        next: 'it must answer each line with {"keep": true} or {"keep": false, "why": "..."}',
      },
      { cause },
    )
  /** It may have been killed, and do better the next time. */
  const ended = (words: string): IronlawError =>
    new IronlawError('IL_PIPELINE', {
      problem: `the program ${command.join(' ')} ended before it had answered${words === '' ? '' : `: ${words}`}`,
      next: 'look at its last words; it must answer each line until its input ends',
    })
  const start = (): Running => {
    const [file = '', ...words] = command
    const child = spawn(file, words, { cwd: directory, stdio: 'pipe' })
    child.stderr.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-1000)))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => (tail = error.message))
    const lines = createInterface({ input: child.stdout })
    return { child, lines, answers: lines[Symbol.asyncIterator]() }
  }
  const answer = async ({ answers }: Running): Promise<{ readonly keep: boolean; readonly why: string }> => {
    const line = await answers.next()
    if (line.done) throw ended(tail.trim().slice(-300))
    try {
      const { keep, why }: { keep?: unknown; why?: unknown } = Object(JSON.parse(line.value))
      if (typeof keep === 'boolean') return { keep, why: typeof why === 'string' ? why.slice(0, 100) : 'the program' }
    } catch (cause) {
      throw failed(`answered ${line.value.slice(0, 80)}`, cause)
    }
    throw failed(`answered ${line.value.slice(0, 80)}`)
  }
  return {
    name: 'filter',
    changes: false,
    apply: async (documents, dropped) => {
      running ??= start()
      const { child } = running
      child.stdin.write(documents.map(({ fields, text }) => `${JSON.stringify({ ...fields, text })}\n`).join(''))
      const kept: Document[] = []
      for (const document of documents) {
        const { keep, why } = await answer(running)
        if (keep) kept.push(document)
        else dropped(document, why)
      }
      return kept
    },
    close: async () => {
      if (!running) return
      running.child.stdin.end()
      running.lines.close()
      running.child.kill()
    },
  }
}
