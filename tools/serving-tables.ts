// `npm run generate:serving -- --data <folder>`: the tables of docs/validation/serving.md, the request logs of the simulation guide and the
// recorded hours of the guide to deployments, with the third-party files in that folder. Without them `npm run generate` keeps what it can.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scalingTables } from './generators/scaling-table.ts'
import { filledPage, servingTables } from './generators/serving-tables.ts'
import { logTable } from './serving-logs.ts'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = 'docs/guides/simulating-a-deployment.md'
const folder = process.argv.includes('--data') ? process.argv[process.argv.indexOf('--data') + 1] : process.env['IRONLAW_DATA']
if (folder === undefined) throw new Error('--data <folder> names the folder with the third-party files')

const guide = filledPage(readFileSync(join(ROOT, GUIDE), 'utf8'), new Map([['logs', logTable(folder)]]))
for (const { path, content } of [...servingTables(folder), ...scalingTables(folder), { path: GUIDE, content: guide }]) {
  writeFileSync(join(ROOT, path), content)
  console.log(`written: ${path}`)
}
