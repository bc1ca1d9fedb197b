// The least that generates: node-llama-cpp's own loop over parallel sequences, no server, no text. One line of JSON for each round, a round for
// each line on standard input.

import { createInterface } from 'node:readline'
import { getLlama, LlamaLogLevel } from 'node-llama-cpp'
import { CONTEXT, promptOf, type Round } from './round.ts'

const [file = '', sequences = '1', threads = '1'] = process.argv.slice(2)
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: Number(threads), logLevel: LlamaLogLevel.error })
const model = await llama.loadModel({ modelPath: file })
const context = await model.createContext({ sequences: Number(sequences), contextSize: CONTEXT, batchSize: 512, threads: Number(threads) })
const all = Array.from({ length: Number(sequences) }, () => context.getSequence())
console.log('ready')

for await (const line of createInterface({ input: process.stdin })) {
  const { round, tokens }: Round = JSON.parse(line)
  const began = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(
    all.map(async (sequence, index) => {
      await sequence.clearHistory()
      let count = 0
      for await (const _ of sequence.evaluate(model.tokenize(promptOf(round, index)), { temperature: 0, yieldEogToken: true })) {
        count += 1
        if (count === tokens) break
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  console.log(JSON.stringify({ took_s: (performance.now() - began) / 1000, cpu_s: (user + system) / 1e6 }))
}
process.exit(0)
