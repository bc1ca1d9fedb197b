// An error that is caught goes on: thrown again, returned, logged, handed to a function. Where it is ignored on purpose, a comment says why.
// `.catch(f)`, the second argument of `.then`, and `Promise.allSettled` catch as well.

/** The lines where an error is caught and goes nowhere. */
export function swallowedErrors(text: string): readonly number[] {
  const code = withoutTexts(text)
  return [...code.matchAll(CATCHES)]
    .filter((found) => isSwallowed(found, { text, code }))
    .map(({ index }) => text.slice(0, index).split('\n').length)
}

const CATCHES = /\bcatch\s*(?:\(\s*(\w+)[^)]*\)\s*)?\{|\.(catch|then)\(|\bPromise\.(allSettled)\(/g

type SourceText = { readonly text: string; readonly code: string }

function isSwallowed({ 0: match, 1: bound, 2: method, 3: settles, index }: RegExpExecArray, { text, code }: SourceText): boolean {
  const start = index + match.length
  const end = closingOf(code, start)
  if (hasComment(text, { index, end })) return false
  if (settles) return !/\breason\b/.test(code.slice(end, nextLines(code, end)))
  if (!method) return !/\bthrow\b/.test(code.slice(start, end)) && !names(code.slice(start, end), bound)
  const handler = argumentsIn(code.slice(start, end))[method === 'then' ? 1 : 0]
  return handler !== undefined && isDeaf(handler.trim())
}

/** A function that does not look at the error that it is given. */
function isDeaf(handler: string): boolean {
  const [, parameter, body = ''] = /^(?:async )?\(?\s*(\w*)[^()=]*\)?\s*=>([^]*)$/.exec(handler) ?? []
  return parameter !== undefined && !names(body, parameter)
}

const names = (code: string, name: string | undefined): boolean => Boolean(name) && new RegExp(`\\b${name}\\b`).test(code)

/** In it, on the line where it starts, or on the one before. */
function hasComment(text: string, { index, end }: { readonly index: number; readonly end: number }): boolean {
  const line = text.lastIndexOf('\n', index)
  const before = text.lastIndexOf('\n', line - 1)
  const stop = text.indexOf('\n', end)
  return /(?:^|\s)\/[/*]|^\s*\*\/?/m.test(text.slice(before + 1, stop < 0 ? undefined : stop))
}

/** Where outcomes of allSettled must be looked at. */
const LOOKED_AT_WITHIN = 12

function nextLines(code: string, from: number): number {
  let at = from
  for (let line = 0; line < LOOKED_AT_WITHIN && at >= 0; line += 1) at = code.indexOf('\n', at + 1)
  return at < 0 ? code.length : at
}

function closingOf(code: string, start: number): number {
  let depth = 1
  for (let at = start; at < code.length; at += 1) {
    if ('({['.includes(code.charAt(at))) depth += 1
    if (')}]'.includes(code.charAt(at))) depth -= 1
    if (depth === 0) return at
  }
  return code.length
}

function argumentsIn(code: string): readonly string[] {
  const found: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < code.length; at += 1) {
    if ('({['.includes(code.charAt(at))) depth += 1
    if (')}]'.includes(code.charAt(at))) depth -= 1
    if (depth > 0 || code.charAt(at) !== ',') continue
    found.push(code.slice(from, at))
    from = at + 1
  }
  return [...found, code.slice(from)].filter((argument) => argument.trim() !== '')
}

/** Comments, strings and regular expressions, in which brackets mean nothing, and the text of a template up to a value or its end. */
const TEXTS = [
  /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y,
  /(?<=(?:^|[(,=:[!&|?{};>]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+\/[a-z]*/y,
]
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^`\\$])*(?:\$\{|`|$)/y

/** Of the same length. */
function withoutTexts(text: string): string {
  let code = ''
  /** Open braces of the code inside each template that has not ended. */
  const templates: number[] = []
  const blank = (to: number): void => void (code += text.slice(code.length, to).replaceAll(/[^\n]/g, ' '))
  const skipTemplate = (): void => {
    const end = endOf(TEMPLATE, text, code.length + 1) ?? text.length
    blank(end)
    if (text.slice(0, end).endsWith('${')) templates.push(0)
  }
  while (code.length < text.length) {
    const at = code.length
    const end = TEXTS.map((pattern) => endOf(pattern, text, at)).find((found) => found !== undefined)
    const open = templates.at(-1)
    if (end !== undefined) blank(end)
    else if (text[at] === '`') skipTemplate()
    else if (text[at] === '}' && open === 0) {
      templates.pop()
      skipTemplate()
    } else {
      if (open !== undefined) templates.splice(-1, 1, open + Number(text[at] === '{') - Number(text[at] === '}'))
      code += text[at]
    }
  }
  return code
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
