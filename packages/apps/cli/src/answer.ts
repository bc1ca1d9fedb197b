// What a command answers: data for scripts, and text for people, which is only made when somebody will read it.

export type Answer = {
  readonly json: unknown
  readonly text: () => string
  /** What people should know beside an answer that goes into a file; printed on standard error. */
  readonly notes?: readonly string[]
  /** 3 when the answer is that a stated constraint is violated. */
  readonly exit?: 3
}

export function print({ json, text, notes = [], exit }: Answer, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json, undefined, 2)}\n` : `${text()}\n`)
  if (!asJson) for (const note of notes) process.stderr.write(`${note}\n`)
  if (exit !== undefined) process.exitCode = exit
}
