// Loaded before a program under test: prints what it holds after a collection whenever it gets SIGUSR2.

import { heldBytes } from './memory.ts'

process.on('SIGUSR2', () => process.stdout.write(`held ${heldBytes()} bytes\n`))
