// The boundary of a worker: questions arrive as messages, answers leave as messages, and errors leave as text.

import { IronlawError } from '@ironlaw/contracts'

export type WorkerRefusal = { readonly kind: 'refused'; readonly message: string; readonly next: string }

/** `at` is when the question changed, on the page's clock. `looked` is what the quick answer selected for the slow one. */
export type WorkerRequest<Question, Looked> =
  | { readonly kind: 'choices' }
  | { readonly kind: 'quick'; readonly question: Question; readonly at: number }
  | { readonly kind: 'slow'; readonly question: Question; readonly looked: Looked | undefined }

export type WorkerResponse<Choices, Quick, Slow> =
  | { readonly kind: 'choices'; readonly answer: Choices }
  | { readonly kind: 'quick'; readonly answer: Quick }
  | { readonly kind: 'slow'; readonly answer: Slow }
  | WorkerRefusal

type Handlers<Question, Looked> = {
  readonly choices: () => unknown
  readonly quick: (question: Question) => unknown
  readonly slow: (question: Question, looked: Looked | undefined) => unknown
}

export function answerMessages<Question, Looked>(handlers: Handlers<Question, Looked>): void {
  addEventListener(
    'message',
    ({ data: { id, ask } }: MessageEvent<{ readonly id: number; readonly ask: WorkerRequest<Question, Looked> }>) => {
      // A worker has no target origin: the second argument holds the options.
      postMessage({ id, reply: replyTo(ask, handlers) }, { transfer: [] })
    },
  )
}

function replyTo<Question, Looked>(
  ask: WorkerRequest<Question, Looked>,
  handlers: Handlers<Question, Looked>,
): WorkerResponse<unknown, unknown, unknown> {
  try {
    switch (ask.kind) {
      case 'choices':
        return { kind: 'choices', answer: handlers.choices() }
      case 'quick':
        return { kind: 'quick', answer: handlers.quick(ask.question) }
      case 'slow':
        return { kind: 'slow', answer: handlers.slow(ask.question, ask.looked) }
    }
  } catch (cause) {
    return cause instanceof IronlawError
      ? { kind: 'refused', message: cause.message, next: cause.next }
      : { kind: 'refused', message: cause instanceof Error ? cause.message : String(cause), next: 'Change the question and try again.' }
  }
}
