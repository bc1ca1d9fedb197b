import { defineConfig } from 'vite'

// Relative addresses, so that the built site works from any folder of any host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  worker: { format: 'es' },
  server: { host: '127.0.0.1', port: 7601 },
  build: { outDir: 'dist', target: 'esnext', chunkSizeWarningLimit: 900 },
})
