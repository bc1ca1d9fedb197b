// A day of traffic, from the quietest hour at 4 a.m. to the peak at 4 p.m., and the replicas that each hour needs.

export type Hour = { readonly hour: number; readonly requests_per_s: number; readonly replicas: number }

export type DayInputs = {
  readonly peak_requests_per_s: number
  readonly replica_requests_per_s: number
  readonly spare: number
  readonly night: number
}

const QUIETEST = 4

export const hoursOf = ({ peak_requests_per_s, replica_requests_per_s, spare, night }: DayInputs): readonly Hour[] =>
  Array.from({ length: 24 }, (_, hour) => {
    const height = (1 - Math.cos(((hour - QUIETEST) / 24) * 2 * Math.PI)) / 2
    const requests_per_s = peak_requests_per_s * (night + (1 - night) * height)
    return { hour, requests_per_s, replicas: Math.ceil(requests_per_s / replica_requests_per_s - 1e-9) + spare }
  })
