// Tokens that are found in the text before BPE sees it: special tokens, and others that were added to a vocabulary. The leftmost is taken,
// of those that begin there the longest. A tree of characters: some models add 6,000 tokens, too many for an alternation.

import type { AddedToken } from './tokenizer-file.ts'

type Node = { id: number | undefined; readonly children: Map<number, Node> }

/** The parts of a text in order: added tokens as their id, everything between as text. */
export type AddedTokenSearch = (text: string, found: (part: number | string) => void) => void

export function addedTokenSearch(tokens: readonly Pick<AddedToken, 'id' | 'content'>[]): AddedTokenSearch {
  const root: Node = { id: undefined, children: new Map() }
  const begins = new Uint8Array(0x10000)
  for (const { id, content } of tokens) {
    if (content === '') continue
    begins[content.charCodeAt(0)] = 1
    let node = root
    for (let i = 0; i < content.length; i += 1) {
      const unit = content.charCodeAt(i)
      const child = node.children.get(unit) ?? { id: undefined, children: new Map<number, Node>() }
      node.children.set(unit, child)
      node = child
    }
    node.id = id
  }
  return (text, found) => {
    let from = 0
    for (let at = 0; at < text.length;) {
      const match = begins[text.charCodeAt(at)] === 1 ? longestAt(root, text, at) : undefined
      if (match === undefined) {
        at += 1
        continue
      }
      if (at > from) found(text.slice(from, at))
      found(match.id)
      at = match.end
      from = at
    }
    if (from < text.length) found(from === 0 ? text : text.slice(from))
  }
}

function longestAt(root: Node, text: string, at: number): { readonly id: number; readonly end: number } | undefined {
  let longest: { readonly id: number; readonly end: number } | undefined
  let node: Node | undefined = root
  for (let i = at; i < text.length; i += 1) {
    node = node.children.get(text.charCodeAt(i))
    if (node === undefined) break
    if (node.id !== undefined) longest = { id: node.id, end: i + 1 }
  }
  return longest
}
