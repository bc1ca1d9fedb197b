#!/usr/bin/env node
// Starts the command line with its compiled code kept from one call to the next: 0.2 s of a processor instead of 0.5 for a short command.

import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const { HOME, XDG_CACHE_HOME } = process.env
// Not Node's default below /tmp: what is read from there is run, and anybody may have put it there. A home that is not there is not made.
const cache = XDG_CACHE_HOME || (HOME && existsSync(HOME) ? join(HOME, '.cache') : undefined)
if (cache !== undefined) enableCompileCache(join(cache, 'ironlaw', 'compiled'))

// Only what is loaded after that is kept.
await import('./command-line.ts')
