// The flags of `ironlaw simulate serve` as commander hands them over.

export type SimulateServeFlags = {
  readonly engine?: string
  readonly oneMachine?: true
  readonly model?: string
  readonly on?: string
  readonly tensor: string
  readonly precision: string
  readonly replicas?: string
  readonly rate?: string
  readonly input?: string
  readonly output?: string
  readonly burstiness: string
  readonly trace?: string
  readonly speed: string
  readonly requests: string
  readonly router: string
  readonly ttft?: string
  readonly tpot?: string
  readonly autoscale?: string
  readonly coldStart?: string
  readonly mtbf?: string
  readonly repair: string
  readonly seed: string
  readonly with?: string
}
