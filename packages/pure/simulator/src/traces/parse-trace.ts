// Request traces in the formats that people have. The format is seen from the first line.
//   Azure LLM inference   TIMESTAMP,ContextTokens,GeneratedTokens (AzurePublicDataset, 2023 and 2024)
//   BurstGPT              Timestamp,Model,Request tokens,Response tokens,... in seconds; with Session ID and Elapsed time in release 2
//   plain                 arrival_s,input_tokens,output_tokens
//   Mooncake              lines of JSON: timestamp in ms, input_length, output_length, hash_ids of 512 tokens each
//   our gateway's log     lines of JSON: at, tenant, prompt_tokens, completion_tokens, status, and prefix_hashes where they are kept

import { instant_s } from './instant.ts'
import { type Trace, traceOf, type TraceRow } from './trace.ts'

export type TraceFormat = 'azure' | 'burst-gpt' | 'plain' | 'mooncake' | 'gateway'

export type ParsedTrace =
  | { readonly ok: true; readonly format: TraceFormat; readonly trace: Trace }
  | { readonly ok: false; readonly problem: string }

/** Of Mooncake's traces, and of the gateway's hashes where it keeps them. */
const MOONCAKE_TOKENS = 512
const GATEWAY_TOKENS = 64

type Reader = (line: string, column: (name: string) => string) => TraceRow | undefined

const READERS: Readonly<Record<TraceFormat, Reader>> = {
  azure: (_, column) => row(instant_s(column('TIMESTAMP')), column('ContextTokens'), column('GeneratedTokens')),
  'burst-gpt': (_, column) => {
    const read = row(Number(column('Timestamp')), column('Request tokens'), column('Response tokens'))
    return read && { ...read, tenant: column('Model') }
  },
  plain: (_, column) => row(Number(column('arrival_s')), column('input_tokens'), column('output_tokens')),
  mooncake: (line) => {
    const read = row(Number(field(line, 'timestamp')) / 1000, field(line, 'input_length'), field(line, 'output_length'))
    return read && { ...read, hashes: list(line, 'hash_ids').map(Number) }
  },
  gateway: gatewayRow,
}

const HEADS: readonly (readonly [RegExp, TraceFormat])[] = [
  [/^TIMESTAMP,ContextTokens,GeneratedTokens/i, 'azure'],
  [/^Timestamp,.*Request tokens,Response tokens/i, 'burst-gpt'],
  [/^arrival_s,input_tokens,output_tokens/, 'plain'],
  [/^\{.*"input_length":/, 'mooncake'],
  [/^\{.*"prompt_tokens":/, 'gateway'],
]

export function parseTrace(text: string): ParsedTrace {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const head = lines[0] ?? ''
  const format = HEADS.find(([pattern]) => pattern.test(head))?.[1]
  if (!format)
    return {
      ok: false,
      problem:
        'its first line matches no trace format: Azure, BurstGPT, Mooncake, our gateway log, or arrival_s,input_tokens,output_tokens',
    }
  const columns = new Map(
    head
      .trim()
      .split(',')
      .map((name, index) => [name, index]),
  )
  const first = head.startsWith('{') ? 0 : 1
  const rows: TraceRow[] = []
  for (let index = first; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const cells = first === 1 ? line.trim().split(',') : []
    const read = READERS[format](line, (name) => cells[columns.get(name) ?? -1] ?? '')
    if (!read) return { ok: false, problem: `line ${index + 1} has no time or no number of tokens: ${line.slice(0, 80)}` }
    rows.push(read)
  }
  if (rows.length === 0) return { ok: false, problem: 'it contains no requests' }
  const hashTokens = format === 'mooncake' ? MOONCAKE_TOKENS : format === 'gateway' ? GATEWAY_TOKENS : 0
  return { ok: true, format, trace: traceOf(format === 'mooncake' ? spread(rows) : rows, hashTokens) }
}

function row(at_s: number, prompt: string, output: string): TraceRow | undefined {
  const read = { at_s, prompt: Number(prompt), output: Number(output) }
  return prompt === '' || output === '' || !Object.values(read).every(Number.isFinite) ? undefined : read
}

/** Our gateway writes its line when a request ends; it arrived `took_s` before. Failed ones count as requests without an answer. */
function gatewayRow(line: string): TraceRow | undefined {
  const status = Number(field(line, 'status') || '200')
  const read = row(
    instant_s(field(line, 'at')) - Number(field(line, 'took_s') || '0'),
    field(line, 'prompt_tokens') || '0',
    status < 400 ? field(line, 'completion_tokens') || '0' : '0',
  )
  return read && { ...read, tenant: field(line, 'tenant'), hashes: list(line, 'prefix_hashes') }
}

/** Fields are read out of a line rather than the line parsed: a log may hold the text of requests, and only numbers are wanted. */
function field(line: string, name: string): string {
  return (
    new RegExp(`"${name}":\\s*(?:"([^"\\\\]*)"|([-+.\\deE]+))`)
      .exec(line)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ''
  )
}

function list(line: string, name: string): string[] {
  const inside = new RegExp(`"${name}":\\s*\\[([^\\]]*)\\]`).exec(line)?.[1]?.trim() ?? ''
  return inside === '' ? [] : inside.split(',').map((each) => each.trim().replaceAll('"', ''))
}

/** Mooncake's conversation times are whole multiples of 3 s, 90 % of the gaps are 0: each group is spread over the time to the next. */
function spread(rows: readonly TraceRow[]): TraceRow[] {
  const sorted = rows.toSorted((a, b) => a.at_s - b.at_s)
  const result: TraceRow[] = []
  let gap = 0
  for (let from = 0; from < sorted.length;) {
    const at = sorted[from]?.at_s ?? 0
    let to = from
    while (to < sorted.length && sorted[to]?.at_s === at) to += 1
    gap = to < sorted.length ? (sorted[to]?.at_s ?? at) - at : gap
    sorted.slice(from, to).forEach((each, place) => result.push({ ...each, at_s: at + (gap * place) / (to - from) }))
    from = to
  }
  return result
}
