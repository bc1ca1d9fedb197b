// What every call of an executor may return besides its own result.

export type Done = { readonly answer: 'done' }
export type Unreachable = { readonly answer: 'unreachable'; readonly reason: string }
/** The backend will never accept the request as it is: which field, and why. */
export type Refused = { readonly answer: 'refused'; readonly field: string; readonly reason: string }
