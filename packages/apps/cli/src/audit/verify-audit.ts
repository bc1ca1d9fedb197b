// `ironlaw audit verify`: every chain in itself, and against heads that were kept elsewhere.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { AuditVerdict } from '@ironlaw/contracts/api'
import { CHAIN_HEAD, type ChainHead } from '@ironlaw/contracts/audit-api'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { type Context, context } from '../context/context.ts'

type Fault = { readonly stream: string; readonly sequence: number; readonly problem: string }

const HEADS_AT_ONCE = 1000

export async function verifyAudit(file: string | undefined): Promise<CommandAnswer> {
  const to = context()
  const { streams, events, faults: altered } = await verifyChains(to)
  const kept = file === undefined ? { compared: 0, faults: [] } : await compareHeads(to, file)
  const faults = [...altered, ...kept.faults]
  const json = { streams, events, ...(file !== undefined && { heads: kept.compared }), faults }
  const compared = file === undefined ? '' : `, ${kept.compared} heads of ${file} compared`
  const summary = `${events} events in ${streams} streams${compared}`
  if (faults.length === 0) return { json, text: () => `${summary}: nothing was altered or removed` }
  return {
    json,
    text: () => [summary, ...faults.map(faultText)].join('\n'),
    exit: 3,
    violation: {
      problem: `the audit trail was changed after it was written: ${faults.length} contradictions`,
      next: 'restore the database from a backup of before, and find out who could write to it; events behind these places prove nothing',
    },
  }
}

const faultText = ({ stream, sequence, problem }: Fault): string => `  ${stream}: event ${sequence}: ${problem}`

async function verifyChains(to: Context) {
  let streams = 0
  let events = 0
  const faults: Fault[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { items: AuditVerdict[]; next: string | null } = await api(to).audit({ query: { cursor } })
    for (const { stream, events: count = 0, intact, sequence = 0, problem = 'altered' } of page.items) {
      streams += 1
      events += count
      if (!intact) faults.push({ stream, sequence, problem: problem === 'missing' ? 'is missing' : 'was altered' })
    }
    cursor = page.next
  }
  return { streams, events, faults }
}

/** What a chain has today must be what was sent when it was written. */
async function compareHeads(to: Context, file: string): Promise<{ readonly compared: number; readonly faults: readonly Fault[] }> {
  const faults: Fault[] = []
  let compared = 0
  const compare = async (heads: readonly ChainHead[]): Promise<void> => {
    compared += heads.length
    const { contradicted } = await api(to).checkHeads({ body: { heads: [...heads] } })
    for (const { stream, sequence, problem } of contradicted)
      faults.push({
        stream,
        sequence,
        problem: problem === 'missing' ? `is missing, and is in ${file}` : `is not the one in ${file}: the chain was rewritten`,
      })
  }
  let batch = new Map<string, ChainHead>()
  for await (const head of headsIn(file)) {
    batch.set(`${head.stream} ${head.sequence} ${head.hash}`, head)
    if (batch.size < HEADS_AT_ONCE) continue
    await compare([...batch.values()])
    batch = new Map()
  }
  if (batch.size > 0) await compare([...batch.values()])
  if (compared === 0)
    throw new IronlawError(
      'IL_DOCUMENT',
      { path: file, reason: 'it has no heads of chains' },
      { next: 'name the file that "ironlaw up --audit-to" wrote' },
    )
  return { compared, faults }
}

/** From lines of JSON, also where a syslog server put its own words before them. */
async function* headsIn(file: string): AsyncGenerator<ChainHead> {
  const input = createReadStream(file)
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const head = headIn(line)
      if (head) yield head
    }
  } catch (cause) {
    const reason = systemReason(cause)
    throw reason === undefined ? cause : new IronlawError('IL_FILE', { path: file, reason }, { cause })
  }
}

function headIn(line: string): ChainHead | undefined {
  const start = line.indexOf('{')
  if (start === -1) return undefined
  try {
    return CHAIN_HEAD.safeParse(JSON.parse(line.slice(start))).data
  } catch {
    // A line that was cut off when the machine stopped.
    return undefined
  }
}
