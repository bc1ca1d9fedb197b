// Somebody who looks at runs while all this goes on, in a process of its own: gets and pages of lists, and the ledger of the fleet.

import { readFileSync } from 'node:fs'
import { client } from './http.ts'
import { runPaced, type Samples } from './samples.ts'

export type ProbeSamples = { readonly get: Samples; readonly list: Samples; readonly ledger: Samples }

const [api = '', contextFile = '', live = '1', history = '1', seconds = '10'] = process.argv.slice(2)
const { token }: { token: string } = JSON.parse(readFileSync(contextFile, 'utf8'))
const call = client(api, 8)
const isAnswered = async (path: string): Promise<boolean> => (await call({ path, token })).status === 200

/** Spread over all, the same in every measurement. */
const spreadNumber = (number: number, most: string): number => 1 + ((number * 7919) % Math.max(1, Number(most)))

const get = (number: number): Promise<boolean> =>
  isAnswered(
    `/v1/runs/${number % 2 === 0 || history === '0' ? `live-${spreadNumber(number, live)}` : `past-${spreadNumber(number, history)}`}`,
  )

const FILTERS = ['', 'state=failed', 'live=true', 'project=project-7', 'project=project-7&state=succeeded,failed', 'state=running,failed']
/** Where the next page of each filter begins; at its end, at the newest again. */
const cursors = new Map<string, string>()

async function list(number: number): Promise<boolean> {
  const filter = FILTERS[number % FILTERS.length] ?? ''
  const cursor = cursors.get(filter)
  const { status, text } = await call({ path: `/v1/runs?${filter}${cursor ? `&cursor=${cursor}` : ''}`, token })
  const { next }: { next: string | null } = JSON.parse(text)
  cursors.set(filter, next ?? '')
  return status === 200
}

const ledger = (number: number): Promise<boolean> => isAnswered(`/v1/ledger?since=0&by=${['cause', 'project', 'team'][number % 3] ?? ''}`)

process.once('disconnect', () => process.exit(1))
const at = { seconds: Number(seconds), lanes: 4 }
const [gets, lists, ledgers] = await Promise.all([
  runPaced({ ...at, perSecond: 10, ask: get }),
  runPaced({ ...at, perSecond: 5, ask: list }),
  runPaced({ ...at, perSecond: 0.5, ask: ledger }),
])
const probed: ProbeSamples = { get: gets, list: lists, ledger: ledgers }
process.send?.(probed, () => process.exit(0))
