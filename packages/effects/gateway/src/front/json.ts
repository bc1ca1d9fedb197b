// JSON from outside: invalid JSON is a return value here, not an exception.

export type JsonObject = Readonly<Record<string, unknown>>

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Refused by its reader like any other value.
    return undefined
  }
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
