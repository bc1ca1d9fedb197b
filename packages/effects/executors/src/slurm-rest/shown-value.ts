// Parts of an answer before anything is known about them.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
