// How one replica is divided over its devices.

export type Layout = {
  /** Ranks that divide each attention layer and each dense block. */
  readonly tensor: number
  /** Pipeline stages. */
  readonly pipeline: number
  /** Copies of the attention, each for its own requests, that share the experts (attention data parallelism). */
  readonly data: number
  /** Ranks among which whole experts are dealt out; within tensor x data, the rest divides each expert. */
  readonly expert: number
}

export const SINGLE: Layout = { tensor: 1, pipeline: 1, data: 1, expert: 1 }

export const devicesOf = ({ tensor, pipeline, data }: Layout): number => tensor * pipeline * data

/** Ranks that divide one expert. */
export const expertTensor = ({ tensor, data, expert }: Layout): number => (tensor * data) / expert

export const layoutText = ({ tensor, pipeline, data, expert }: Layout): string =>
  [
    ['tp', tensor],
    ['pp', pipeline],
    ['dp', data],
    ['ep', expert],
  ]
    .filter(([, size]) => size !== 1)
    .map(([name, size]) => `${name}${size}`)
    .join(' ') || 'one device'
