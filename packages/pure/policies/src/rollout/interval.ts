// What a gateway counted in one interval for one latency, arm by arm.

/** `logSum` is the sum of the natural logarithms of seconds. */
export type LatencySums = { readonly count: number; readonly logSum: number }

export type LatencyInterval = { readonly control: LatencySums; readonly canary: LatencySums }
