// Changes to a JSON document as a structure: what stays is well-formed, so that the change gets past JSON.parse.

import { type JsonTree, scalar, type Slot, slotsOf, textOf, treeOf } from './json-tree.ts'
import type { Random } from './random.ts'

export type Material = { readonly words: readonly string[]; readonly other: () => string; readonly most: number }

const SCALARS = [
  'null', 'true', 'false', '0', '-0', '-1', '1', '0.5', '1e999', '-1e999', '1e-400', '2147483647', '2147483648', '4294967296',
  '9007199254740991', '9007199254740993', '1e308', '123456789012345678901234567890', '""', '" "', '"\\u0000"', '"\\ud800"', '"\\udfff x"',
  '"\\ud83d\\ude00"', '"é\\u202e"', '"__proto__"', '"constructor"', '"0"', '"-1"', '"NaN"', '"http://127.0.0.1:1"', '[]', '{}', '[null]',
  '[{}]', '[[]]', '{"":{}}', '{"__proto__":{"a":1}}', '[0,-1,1e999]',
] as const // oxfmt-ignore
const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '', '0', 'then', '\\ud800', '\\u0000'] as const
const DEPTHS = [1, 2, 3, 31, 32, 33, 63, 64, 65, 200] as const
/** Beyond what a stack takes. Few of the inputs: each costs as much as a hundred others. */
const GREAT_DEPTHS = [1000, 3000, 6000, 12_000, 30_000] as const

/** Undefined where the text is no tree. */
export function changedJson(text: string, random: Random, material: Material): string | undefined {
  const tree = treeOf(text)
  if (!tree) return undefined
  const root = { tree }
  for (let change = random.length(4); change > 0; change -= 1) {
    const slots = slotsOf(root)
    random.pick(CHANGES)({ slot: random.pick(slots), slots, random, material, length: text.length })
  }
  return textOf(root.tree)
}

type Change = (at: {
  readonly slot: Slot
  readonly slots: readonly Slot[]
  readonly random: Random
  readonly material: Material
  readonly length: number
}) => void

/** How often something may be repeated. Mostly a little: small inputs run a hundred times as often as large ones. */
const sizeLimit = (random: Random, most: number): number => Math.max(1, Math.floor(random.chance(0.9) ? Math.min(most, 80) : most))

const quotedKey = (random: Random, words: readonly string[]): string =>
  random.chance(0.75) && words.length > 0 ? JSON.stringify(random.pick(words)) : `"${random.pick(KEYS)}"`

const value = (random: Random, { words }: Material): JsonTree =>
  scalar(random.chance(0.35) && words.length > 0 ? JSON.stringify(random.pick(words)) : random.pick(SCALARS))

const replaceValue: Change = ({ slot, random, material }) => slot.replace(value(random, material))

const removeValue: Change = ({ slot }) => slot.remove?.()

const copyOver: Change = ({ slot, slots, random }) => slot.replace(copyOf(random.pick(slots).value))

const insertEntry: Change = ({ slot, slots, random, material }) => {
  const tree = slot.value.kind === 'scalar' ? slots[0]?.value : slot.value
  const added = random.chance(0.5) ? copyOf(random.pick(slots).value) : value(random, material)
  if (tree?.kind === 'object')
    tree.entries.splice(random.below(tree.entries.length + 1), 0, { key: quotedKey(random, material.words), value: added })
  else if (tree?.kind === 'array') tree.items.splice(random.below(tree.items.length + 1), 0, added)
}

const renameKey: Change = ({ slots, random, material }) => {
  const { value: tree } = random.pick(slots.filter(({ value: { kind } }) => kind === 'object').concat(slots.slice(0, 1)))
  if (tree.kind === 'object' && tree.entries.length > 0) random.pick(tree.entries).key = quotedKey(random, material.words)
}

const repeatKey: Change = ({ slots, random, material }) => {
  const { value: tree } = random.pick(slots.filter(({ value: { kind } }) => kind === 'object').concat(slots.slice(0, 1)))
  if (tree.kind !== 'object' || tree.entries.length === 0) return
  const { key } = random.pick(tree.entries)
  tree.entries.splice(random.below(tree.entries.length + 1), 0, { key, value: value(random, material) })
}

const nest: Change = ({ slot, random, material: { most }, length }) => {
  const key = `{"${random.pick(KEYS)}":`
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    [key, '}'],
    ['[[],', ']'],
    ['{"content":[', ']}'],
  ] as const)
  const depth = Math.min(
    random.pick(random.chance(0.1) ? GREAT_DEPTHS : DEPTHS),
    Math.floor((most - length) / (open.length + close.length)),
  )
  if (depth > 0) slot.replace(scalar(open.repeat(depth) + textOf(slot.value) + close.repeat(depth)))
}

/** A wide array or object, as wide as there is room for. */
const widen: Change = ({ slot, random, material, length }) => {
  const item = textOf(random.chance(0.5) ? slot.value : value(random, material))
  const times = random.length(sizeLimit(random, (material.most - length) / (item.length + 1)))
  const keyed = random.chance(0.3)
  const items = Array.from({ length: keyed ? Math.ceil(times / 4) : times }, (_, index) => (keyed ? `"k${index}":${item}` : item))
  slot.replace(scalar(keyed ? `{${items.join(',')}}` : `[${items.join(',')}]`))
}

const changeText: Change = ({ slot, random, material, length }) => {
  const { value: tree } = slot
  if (tree.kind !== 'scalar' || !tree.text.startsWith('"')) return
  const inside = tree.text.slice(1, -1)
  const word = JSON.stringify(random.pick(material.words.length > 0 ? material.words : ['a'])).slice(1, -1)
  const piece = random.pick([word, 'a', ' ', '\\n', '\\ud800', '0', '😀', '-', '.', '\\\\', '\\"', '/', inside])
  const times = random.chance(0.3) ? random.length(sizeLimit(random, (material.most - length) / Math.max(1, piece.length))) : 1
  slot.replace(scalar(random.chance(0.5) ? `"${inside}${piece.repeat(times)}"` : `"${piece.repeat(times)}${inside}"`))
}

const changeNumber: Change = ({ slot, random }) => {
  const { value: tree } = slot
  const number = tree.kind === 'scalar' ? Number(tree.text) : Number.NaN
  if (tree.kind === 'scalar' && !Number.isNaN(number))
    slot.replace(scalar(String(random.pick([number + 1, number - 1, -number, number * 1000, number / 3, Math.trunc(number)]))))
}

const splice: Change = ({ slot, random, material }) => {
  const other = treeOf(material.other())
  if (other) slot.replace(random.pick(slotsOf({ tree: other })).value)
}

const CHANGES: readonly Change[] = [
  replaceValue, replaceValue, removeValue, copyOver, insertEntry, insertEntry, renameKey, repeatKey, nest, widen, changeText, changeText,
  changeNumber, splice,
] // oxfmt-ignore

/** Trees are changed in place, and one that stands twice would come to hold itself. */
const copyOf = (tree: JsonTree): JsonTree => scalar(textOf(tree))
