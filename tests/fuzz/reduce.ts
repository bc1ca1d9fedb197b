// A smaller input with the same property, in a limited number of tries: parts of the document go first, then ranges of bytes.

import type { JsonTree, Slot } from './mutate/json-tree.ts'
import { slotsOf, textOf, treeOf } from './mutate/json-tree.ts'
import type { Grammar } from './target.ts'

export type Reduction = { readonly grammar: Grammar; readonly tries: number; readonly holds: (input: Uint8Array) => Promise<boolean> }

export async function reduceInput(input: Uint8Array, { grammar, tries, holds }: Reduction): Promise<Uint8Array> {
  const state: State = { best: input, left: tries, holds }
  if (grammar === 'json') await reduceDocument(state)
  await reduceBytes(state)
  return state.best
}

type State = { best: Uint8Array; left: number; readonly holds: (input: Uint8Array) => Promise<boolean> }

async function tryOut(state: State, candidate: Uint8Array): Promise<boolean> {
  if (state.left <= 0 || candidate.length >= state.best.length) return false
  state.left -= 1
  if (!(await state.holds(candidate))) return false
  state.best = candidate
  return true
}

/** Half of the tries, so that ranges of bytes have theirs. */
async function reduceDocument(state: State): Promise<void> {
  const end = Math.floor(state.left / 2)
  for (let at = 0; state.left > end;) {
    // A look costs a pass over the document, whether or not it finds something to try.
    state.left -= 1
    const root = rootOf(state.best)
    const slot = root && slotsOf(root)[at]
    if (!root || !slot) return
    if (!(await shrink(state, { root, at, slot }))) at += 1
  }
}

type TreePosition = { readonly root: { tree: JsonTree }; readonly at: number; readonly slot: Slot }

/** Tries to leave out a value, or everything between it and what is nested in it. */
async function shrink(state: State, { at, slot }: TreePosition): Promise<boolean> {
  const without = rootOf(state.best)
  if (!without) return false
  const place = slotsOf(without)[at]
  if (place?.remove && slot.value.kind !== 'scalar') {
    place.remove()
    if (await tryOut(state, Buffer.from(textOf(without.tree)))) return true
  }
  for (let levels = Math.floor(depthOf(slot.value) / 2); levels >= 1; levels = Math.floor(levels / 2)) {
    const root = rootOf(state.best)
    if (!root) return false
    slotsOf(root)[at]?.replace(inner(slot.value, levels))
    if (await tryOut(state, Buffer.from(textOf(root.tree)))) return true
  }
  return false
}

const childOf = (tree: JsonTree): JsonTree | undefined =>
  tree.kind === 'array' ? tree.items.at(-1) : tree.kind === 'object' ? tree.entries.at(-1)?.value : undefined

function depthOf(tree: JsonTree): number {
  let depth = 0
  for (let at = childOf(tree); at; at = childOf(at)) depth += 1
  return depth
}

function inner(tree: JsonTree, levels: number): JsonTree {
  let at = tree
  for (let level = 0; level < levels; level += 1) at = childOf(at) ?? at
  return at
}

function rootOf(input: Uint8Array): { tree: JsonTree } | undefined {
  const tree = treeOf(Buffer.from(input).toString('utf8'))
  return tree && { tree }
}

async function reduceBytes(state: State): Promise<void> {
  for (let size = Math.ceil(state.best.length / 2); size >= 1 && state.left > 0; size = Math.floor(size / 2)) {
    for (let from = 0; from < state.best.length && state.left > 0;) {
      const { best } = state
      if (!(await tryOut(state, Buffer.concat([best.subarray(0, from), best.subarray(from + size)])))) from += size
    }
  }
}
