// How deep JSON text nests, counted on its bytes before a parser builds anything from it. Code that walks a document recursively runs out
// of stack at some thousand levels, and a balanced nest of 5,000 levels is 10 kB of valid JSON.

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether arrays and objects nest deeper than `most`. Text that is not JSON gives either answer: the parser refuses it anyway. */
export function nestsDeeperThan(text: Uint8Array, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]
    if (byte === QUOTE) at = endOfString(text, at)
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (depth > most) return true
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
  }
  return false
}

/** The place of the closing quote, or the end of the text. `indexOf` skips long strings faster than a loop here would. */
function endOfString(text: Uint8Array, open: number): number {
  for (let from = open + 1; ;) {
    const quote = text.indexOf(QUOTE, from)
    if (quote === -1) return text.length
    let before = quote - 1
    while (before > open && text[before] === BACKSLASH) before -= 1
    if ((quote - before) % 2 === 1) return quote
    from = quote + 1
  }
}
