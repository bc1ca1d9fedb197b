// A build as a process that a test can kill.

import { readFileSync } from 'node:fs'
import { build } from './build.ts'

await build(JSON.parse(readFileSync(process.argv[2] as string, 'utf8')))
