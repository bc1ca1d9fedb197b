// The steps of an engine, seen from outside. Every answer gets one token a step, so a token for an answer that has had its own in a step
// belongs to the next, and so does that of a prompt that came when the step was out. Gaps alone tell less: the tokens of one step were up
// to 6 ms apart where a step takes 3.

export type TimedAnswer = { readonly prompt: number; readonly at_s: number; readonly tokens_s: readonly number[] }

export type ObservedStep = {
  /** When the step before was out, or the first of its prompts came to an engine that did nothing. */
  readonly from_s: number
  readonly until_s: number
  /** Whether a step ran before it without a pause. */
  readonly busy: boolean
  readonly prefillSequences: number
  readonly prefillTokens: number
  readonly prefillPairs: number
  readonly decodeSequences: number
  readonly decodeKeys: number
  /** Answers that got their first token. */
  readonly begun: readonly number[]
}

export function engineSteps(answers: readonly TimedAnswer[]): readonly ObservedStep[] {
  const tokens = answers
    .flatMap(({ tokens_s }, answer) => tokens_s.map((at, number) => ({ at, answer, number })))
    .toSorted((one, other) => one.at - other.at)
  const steps: ObservedStep[] = []
  let open: readonly Token[] = []
  const close = (until: number): void => {
    steps.push(stepOf(answers, open.slice(0, until), steps.at(-1)))
    open = open.slice(until)
  }
  for (const token of tokens) {
    const last = open.at(-1)
    const again = open.findIndex(({ answer }) => answer === token.answer)
    if (last && (answers[token.answer]?.at_s ?? 0) > last.at) close(open.length)
    else if (again !== -1) close(widestGap(open, token, again))
    open = [...open, token]
  }
  if (open.length > 0) close(open.length)
  return steps
}

/** Between an answer's two tokens one step ended and the next was computed: where they are furthest apart. Gives the first of the next. */
function widestGap(open: readonly Token[], token: Token, from: number): number {
  let most = from + 1
  const gap = (index: number): number => (open[index] ?? token).at - (open[index - 1]?.at ?? 0)
  for (let index = most; index <= open.length; index += 1) if (gap(index) > gap(most)) most = index
  return most
}

type Token = { readonly at: number; readonly answer: number; readonly number: number }

function stepOf(answers: readonly TimedAnswer[], tokens: readonly Token[], before: ObservedStep | undefined): ObservedStep {
  const begun = tokens.filter(({ number }) => number === 0)
  const prompts = begun.map(({ answer }) => answers[answer]?.prompt ?? 0)
  const decoding = tokens.filter(({ number }) => number > 0)
  const came = Math.min(...begun.map(({ answer }) => answers[answer]?.at_s ?? Infinity))
  const busy = before !== undefined && (decoding.length > 0 || came < before.until_s)
  return {
    from_s: busy ? before.until_s : came,
    until_s: tokens.at(-1)?.at ?? 0,
    busy,
    prefillSequences: begun.length,
    prefillTokens: prompts.reduce((sum, prompt) => sum + prompt, 0),
    prefillPairs: prompts.reduce((sum, prompt) => sum + (prompt * (prompt + 1)) / 2, 0),
    decodeSequences: decoding.length,
    decodeKeys: decoding.reduce((sum, { answer, number }) => sum + (answers[answer]?.prompt ?? 0) + number, 0),
    begun: begun.map(({ answer }) => answer),
  }
}
