// The edge of a worker: a question comes in as a message, its answer goes out as one, and what cannot be answered goes out in words.

import { IronlawError } from '@ironlaw/contracts'

export type WorkerRefusal = { readonly kind: 'refused'; readonly message: string; readonly next: string }

/** `at` is when the question changed, in the page's time. `looked` is what the quick answer found for the slow one to look at. */
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
      // In a worker there is no window to name: the second argument is what to hand over.
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
