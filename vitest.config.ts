import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    isolate: false,
    setupFiles: ['tests/seed.ts'],
    testTimeout: 20_000,
  },
})
