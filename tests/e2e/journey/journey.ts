// A user's way through the product, stumble by stumble. An audit played three users on a fresh clone and wrote down where each stumbled; every item is
// a check here, under the section of the audit that has it: what was met, and what must be seen now. One that is left says why, and fails once
// it is gone, so that the list stays true.

import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome, Shell } from '../terminal/shell.ts'

export type Stumble = {
  /** Section of the audit, with the number of the item in it. */
  readonly at: string
  /** What the user met. */
  readonly was: string
  /** Why it is still met; the check then must fail. */
  readonly left?: string
  /** A command, or something that gives the text that is looked at. */
  readonly look: string | ((journey: Journey) => string | Promise<string>)
  readonly shows?: readonly RegExp[]
  readonly lacks?: readonly RegExp[]
  /** 0 when absent. */
  readonly exit?: number
}

type Verdict = 'gone' | 'left' | 'FAILED'

export type Met = Pick<Stumble, 'at' | 'was'> & {
  readonly user: string
  readonly verdict: Verdict
  readonly seconds: number
  /** Why it is left, or what is wrong. */
  readonly why?: string
}

/** Many times what the slowest change takes on a free machine of two cores. */
const PATIENCE_MS = 240_000
const LOOK_MS = 300

export class Journey {
  readonly #met: Met[] = []
  /** Several stumbles are met in one output. */
  readonly #seen = new Map<string, Promise<Outcome>>()
  readonly user: string
  readonly shell: Shell

  constructor(user: string, shell: Shell) {
    this.user = user
    this.shell = shell
  }

  get met(): readonly Met[] {
    return this.#met
  }

  async meets(...stumbles: readonly Stumble[]): Promise<void> {
    for (const stumble of stumbles) {
      const began = performance.now()
      const problem = await this.#problem(stumble)
      const { at, was, left } = stumble
      const outcome = judged(left, problem)
      this.#met.push({ user: this.user, at, was, seconds: (performance.now() - began) / 1000, ...outcome })
      if (outcome.verdict === 'FAILED') console.error(`${this.user}, ${at}: ${outcome.why}\n`)
    }
  }

  /** What a command printed, asked once. */
  async printed(command: string): Promise<string> {
    return (await this.#once(command)).output
  }

  /** What a command prints once it prints what is waited for; throws with what it printed last. */
  async until(command: string, pattern: RegExp): Promise<string> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
      const { output } = await this.shell.tryCommand(command)
      if (pattern.test(output)) return output
      if (Date.now() > deadline) throw new Error(`$ ${command}\nnever printed ${pattern}, at last:\n${output}`)
    }
  }

  #once(command: string): Promise<Outcome> {
    const seen = this.#seen.get(command) ?? this.shell.tryCommand(command)
    this.#seen.set(command, seen)
    return seen
  }

  async #problem({ look, shows = [], lacks = [], exit = 0 }: Stumble): Promise<string | undefined> {
    const seen = await (typeof look === 'string' ? this.#once(look) : Promise.try(look, this).then((output) => ({ exit, output }))).catch(
      (cause: unknown) => ({ exit: null, output: String(cause) }),
    )
    const wrong = [
      ...(seen.exit === exit ? [] : [`ends with ${seen.exit}, not ${exit}`]),
      ...shows.filter((pattern) => !pattern.test(seen.output)).map((pattern) => `shows no ${pattern}`),
      ...lacks.filter((pattern) => pattern.test(seen.output)).map((pattern) => `shows ${pattern}`),
    ]
    if (wrong.length === 0) return undefined
    return `${wrong.join('; ')}\n${typeof look === 'string' ? `$ ${look}\n` : ''}${shortened(seen.output)}`
  }
}

/** Of an output that is long, the lines that a person reads. */
const MOST_LINES = 30

function shortened(output: string): string {
  const lines = output.trimEnd().split('\n')
  return lines.length <= MOST_LINES ? output : [...lines.slice(0, MOST_LINES), `... ${lines.length - MOST_LINES} more lines`].join('\n')
}

function judged(left: string | undefined, problem: string | undefined): Pick<Met, 'verdict' | 'why'> {
  if (left === undefined) return problem === undefined ? { verdict: 'gone' } : { verdict: 'FAILED', why: problem }
  return problem === undefined
    ? { verdict: 'FAILED', why: `it is gone by now, and this still says that it is left: ${left}` }
    : { verdict: 'left', why: left }
}
