// Loaded into a gateway before its own code: on a signal it collects garbage and prints what is left on the heap.

process.on('SIGUSR2', () => {
  globalThis.gc?.()
  console.log(`heap ${process.memoryUsage().heapUsed}`)
})
