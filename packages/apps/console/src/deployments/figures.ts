// What the control plane answers under /v1/deployments/NAME/figures, as this page reads it.

export type Guardrail = 'ttft' | 'tpot' | 'errors' | 'quality'

type PerGuardrail = Readonly<Partial<Record<Guardrail, number>>>

export type Percentiles = { readonly p50: number; readonly p90: number; readonly p99: number }

export type TrafficWindow = {
  readonly from_at: number
  readonly revision: number
  readonly answers: number
  readonly errors: number
  readonly tokens: number
  readonly ttft_s?: number
  readonly tpot_s?: number
  readonly ttft_percentiles_s?: Percentiles
  readonly tpot_percentiles_s?: Percentiles
}

export type Rule = {
  readonly margins: PerGuardrail
  readonly worse: number
  readonly as_good: number
  readonly shares: readonly number[]
  readonly stage_s: number
}

export type TrailPoint = { readonly at: number; readonly stage: number; readonly evidence: PerGuardrail }

export type Trail = { readonly revision: number; readonly points: readonly TrailPoint[] }

type Tenant = {
  readonly name: string
  readonly keys: number
  readonly weight: number
  readonly requests_per_minute: number
  readonly tokens_per_minute: number
  readonly concurrency: number
  readonly budget?: string
}

export type Figures = {
  readonly window_s: number
  readonly windows: readonly TrafficWindow[]
  readonly queued: number
  readonly replicas: readonly { readonly id: string; readonly running: number }[]
  readonly gateways: readonly { readonly id: string; readonly seen_at: number }[]
  readonly rule: Rule
  readonly trail?: Trail
  readonly tenants: readonly Tenant[]
}
