// Renames the model of a request, without a limit on depth.

export function rewrittenModel(text: string): string | undefined {
  const fields = parsedJson(text)
  if (typeof fields !== 'object' || fields === null || !('model' in fields) || typeof fields.model !== 'string') return undefined
  return JSON.stringify({ ...fields, model: 'renamed' })
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
