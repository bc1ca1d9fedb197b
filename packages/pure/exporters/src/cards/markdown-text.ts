// Markdown of what others wrote: one line of text each, which no reader of Markdown or HTML takes for markup.

import { utcDate } from './utc-date.ts'

/** Characters that nobody sees, and that change the order in which others are read. */
const UNSEEN = /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}\p{Cs}]/gu

const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const oneLine = (text: string): string => text.replaceAll(UNSEEN, '').replaceAll(BREAKS, ' ').trim()

export const markdownText = (text: string): string =>
  oneLine(text)
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[\\`*_[\]|~$#!]/g, String.raw`\$&`)

/** Words of ours, to be copied: not for text of others. */
export const codeSpan = (text: string): string => `\`${text}\``

/** Cells are taken as they are: pass text of others through `markdownText`. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0 ? [] : [tableRow(head), tableRow(head.map(() => '---')), ...rows.map(tableRow)]

const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Nothing where there are no lines. */
export const section = (title: string, ...blocks: readonly (readonly string[])[]): readonly string[] => {
  const lines = blocks.flatMap((block) => (block.length > 0 ? ['', ...block] : []))
  return lines.length === 0 ? [] : ['', `## ${title}`, ...lines]
}

export const dateText = (at: number): string => utcDate(at) ?? 'unknown'
