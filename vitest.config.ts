import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    isolate: false,
    // On two cores vitest would take one: the tests wait for other processes for much of their time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ['tests/seed.ts'],
    testTimeout: 20_000,
  },
})
