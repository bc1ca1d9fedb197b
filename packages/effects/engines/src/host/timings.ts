// Where the seconds of one answer went inside the engine. llama.cpp's server has an object of this name in the same place, with counts and
// milliseconds (`prompt_n`, `prompt_ms`, `predicted_ms` ...): no name here is one of those.

export type Timings = {
  /** Until its prompt was in a batch. */
  readonly queue_s: number
  /** From then to its first token. */
  readonly prefill_s: number
  readonly decode_s: number
}

/** Seconds since the request. */
export type Moments = { readonly began_s: number; readonly first_s: number; readonly ended_s: number }

export const timingsOf = ({ began_s, first_s, ended_s }: Moments): Timings => ({
  queue_s: toMicrosecond(began_s),
  prefill_s: toMicrosecond(first_s - began_s),
  decode_s: toMicrosecond(ended_s - first_s),
})

const toMicrosecond = (seconds: number): number => Math.round(1e6 * seconds) / 1e6
