// What the process that runs a target says to the one that started it.

import type { FaultKind } from './execution.ts'
import type { Growth } from './memory.ts'

export type Assignment = {
  readonly target: string
  readonly file: string
  readonly branches: number
  readonly words: readonly string[]
  readonly seed: number
  readonly seconds: number
  readonly corpus: readonly Uint8Array[]
  /** The input of the moment is kept here, for the supervisor, in case this process dies. */
  readonly scratch: string
}

export type Progress = {
  readonly executions: number
  readonly branches: number
  readonly states: number
  readonly corpus: number
  readonly growth: Growth | undefined
}

export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'entry'; readonly input: Uint8Array }
  | {
      readonly kind: 'fault'
      readonly fault: { readonly kind: FaultKind; readonly key: string; readonly message: string; readonly input: Uint8Array }
    }
  | { readonly kind: 'done'; readonly progress: Progress }
