// JSON as a tree that keeps what parsers drop: keys that stand twice, numbers and text as they were written. Nothing here recurses, since
// inputs are nested as deep as their length allows.

export type JsonTree =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'array'; readonly items: JsonTree[] }
  | { readonly kind: 'object'; readonly entries: Entry[] }

type Entry = { key: string; value: JsonTree }

/** A place in a tree that holds a value. */
export type Slot = { readonly value: JsonTree; readonly replace: (value: JsonTree) => void; readonly remove: (() => void) | undefined }

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([[\]{}:,])|([^\s[\]{}:,"]+))/gsuy

/** Undefined where the brackets of the text do not make a tree. */
export function treeOf(text: string): JsonTree | undefined {
  const root: JsonTree = { kind: 'array', items: [] }
  const open: { readonly tree: JsonTree; key: string | undefined }[] = [{ tree: root, key: undefined }]
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const [, quoted, mark, plain] = TOKEN.exec(text) ?? []
    const at = open.at(-1)
    const scalar = quoted ?? plain
    if (!at || (scalar === undefined && mark === undefined)) return undefined
    if (mark === '{' || mark === '[') {
      const tree: JsonTree = mark === '{' ? { kind: 'object', entries: [] } : { kind: 'array', items: [] }
      if (!add(at, tree)) return undefined
      open.push({ tree, key: undefined })
    } else if (mark === '}' || mark === ']') {
      if (at.tree.kind !== (mark === '}' ? 'object' : 'array') || open.length === 1) return undefined
      open.pop()
    } else if (scalar !== undefined) {
      if (at.tree.kind === 'object' && at.key === undefined) at.key = scalar
      else if (!add(at, { kind: 'scalar', text: scalar })) return undefined
    }
  }
  return open.length === 1 && root.items.length === 1 ? root.items[0] : undefined
}

function add(at: { readonly tree: JsonTree; key: string | undefined }, value: JsonTree): boolean {
  if (at.tree.kind === 'array') at.tree.items.push(value)
  else if (at.tree.kind === 'object' && at.key !== undefined) {
    at.tree.entries.push({ key: at.key, value })
    at.key = undefined
  } else return false
  return true
}

export function textOf(tree: JsonTree): string {
  const parts: string[] = []
  const todo: (JsonTree | string)[] = [tree]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') parts.push(next)
    else if (next.kind === 'scalar') parts.push(next.text)
    else if (next.kind === 'array') {
      parts.push('[')
      todo.push(']')
      for (let index = next.items.length - 1; index >= 0; index -= 1) {
        todo.push(next.items[index] ?? '')
        if (index > 0) todo.push(',')
      }
    } else {
      parts.push('{')
      todo.push('}')
      for (let index = next.entries.length - 1; index >= 0; index -= 1) {
        const entry = next.entries[index]
        if (entry) todo.push(entry.value, `${entry.key}:`)
        if (index > 0) todo.push(',')
      }
    }
  }
  return parts.join('')
}

/** Every place of a tree, from the root down. The root's own is the first. */
export function slotsOf(root: { tree: JsonTree }): readonly Slot[] {
  const slots: Slot[] = [{ value: root.tree, replace: (value) => (root.tree = value), remove: undefined }]
  for (let next = 0; next < slots.length; next += 1) {
    const tree = slots[next]?.value
    if (tree?.kind === 'array')
      tree.items.forEach((value, index) =>
        slots.push({
          value,
          replace: (other) => (tree.items[index] = other),
          remove: () => void tree.items.splice(tree.items.indexOf(value), 1),
        }),
      )
    else if (tree?.kind === 'object')
      for (const entry of tree.entries)
        slots.push({
          value: entry.value,
          replace: (other) => (entry.value = other),
          remove: () => void tree.entries.splice(tree.entries.indexOf(entry), 1),
        })
  }
  return slots
}

export const scalar = (text: string): JsonTree => ({ kind: 'scalar', text })
