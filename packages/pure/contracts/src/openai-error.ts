// The error response to a client: OpenAI's body, with a closed list of codes. The SDKs retry 408, 409, 429 and 5xx unless
// `x-should-retry` says otherwise; errors that a retry cannot fix set it.

export type ApiError = {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly retryAfter_s?: number
}

type Kind = { readonly status: number; readonly type: string; readonly retry: boolean }

const KINDS = {
  invalid_json: { status: 400, type: 'invalid_request_error', retry: false },
  invalid_value: { status: 400, type: 'invalid_request_error', retry: false },
  context_length_exceeded: { status: 400, type: 'invalid_request_error', retry: false },
  invalid_api_key: { status: 401, type: 'authentication_error', retry: false },
  model_not_found: { status: 404, type: 'invalid_request_error', retry: false },
  not_found: { status: 404, type: 'invalid_request_error', retry: false },
  method_not_allowed: { status: 405, type: 'invalid_request_error', retry: false },
  request_timeout: { status: 408, type: 'invalid_request_error', retry: true },
  request_too_large: { status: 413, type: 'invalid_request_error', retry: false },
  unsupported_media_type: { status: 415, type: 'invalid_request_error', retry: false },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error', retry: true },
  insufficient_quota: { status: 429, type: 'insufficient_quota', retry: false },
  internal_error: { status: 500, type: 'server_error', retry: false },
  engine_failed: { status: 500, type: 'server_error', retry: true },
  upstream_error: { status: 502, type: 'server_error', retry: true },
  budget_unavailable: { status: 503, type: 'server_error', retry: true },
  configuration_stale: { status: 503, type: 'server_error', retry: true },
  server_is_overloaded: { status: 503, type: 'server_error', retry: true },
  deadline_exceeded: { status: 504, type: 'server_error', retry: false },
} as const satisfies Record<string, Kind>

export type ApiErrorCode = keyof typeof KINDS

export function apiError(
  code: ApiErrorCode,
  message: string,
  more: { readonly param?: string; readonly retryAfter_s?: number } = {},
): ApiError {
  const { status, type } = KINDS[code]
  return { status, type, code, message, ...more }
}

export const errorBody = ({ message, type, param, code }: ApiError): string =>
  JSON.stringify({ error: { message, type, param: param ?? null, code } })

export function retryHeaders({ code, retryAfter_s }: ApiError): string[] {
  const kind = Object.entries(KINDS).find(([known]) => known === code)?.[1]
  return [
    ...(kind?.retry === false ? ['x-should-retry', 'false'] : []),
    ...(retryAfter_s === undefined ? [] : ['retry-after', String(Math.max(1, Math.ceil(retryAfter_s)))]),
  ]
}
