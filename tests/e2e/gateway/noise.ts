// The noisy tenant as a process of its own, so that its cost as a client is not in what the other one measures: node noise.ts PORT KEY MODEL
// PER-SECOND. A spell for each line on standard input, which says its seconds; the statuses it met on standard output.

import { createInterface } from 'node:readline'
import { requestText, SHORT } from './load.ts'
import { PacedClient } from './paced-client.ts'

const [port = '0', key = '', model = 'm', perSecond = '0'] = process.argv.slice(2)
const client = new PacedClient(
  Number(port),
  requestText({ headers: { authorization: `Bearer ${key}` } }, false, { model, max_tokens: SHORT }),
)
for await (const line of createInterface({ input: process.stdin })) {
  const { statuses } = await client.runPaced({ perSecond: Number(perSecond), for_s: Number(line) })
  console.log(JSON.stringify(Object.fromEntries(statuses)))
}
process.exit(0)
