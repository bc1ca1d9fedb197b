import { defineConfig } from 'vite'

// Relative URLs, so that the built site works from any directory of any host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  worker: { format: 'es' },
  // Runs come from a control plane on this machine.
  server: { host: '127.0.0.1', port: 7601, proxy: { '/v1': 'http://127.0.0.1:7600' } },
  build: { outDir: 'dist', target: 'esnext', chunkSizeWarningLimit: 900 },
})
