import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'tests/**/*.test.ts'],
    isolate: false,
    testTimeout: 20_000,
  },
})
