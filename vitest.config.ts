import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The programs that tests start are compiled once: of the 0.5 s of a processor that a short command takes, this saves 0.3.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    isolate: false,
    // On two cores vitest would take one: the tests wait for other processes for much of their time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ['tests/seed.ts'],
    // A test that hangs ends; one that starts engines or plans for seconds must not fail because its two cores are busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
