// What llama.cpp makes of windows of tokens: the loss at every position and the logits after the last, to be compared with the model that
// a file was made from.

import { getLlama, LlamaLogLevel, type LlamaContextSequence, type LlamaModel, type Token } from 'node-llama-cpp'
import { tokenOf } from './prompt-tokens.ts'

export type Measured = {
  readonly losses_nats: readonly number[]
  readonly last_logits: readonly Float32Array[]
  readonly continuation: string
}

export type MeasureOptions = {
  readonly file: string
  readonly threads: number
  readonly windows: readonly (readonly number[])[]
  /** Continued greedily by `continue_tokens` tokens. */
  readonly prompt: string
  readonly continue_tokens: number
}

/** Rounding of keys and values to 16 bits is none of the file's, and sharp attention multiplies it. */
const EXACT_CACHE = { experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32', flashAttention: false } as const

async function withModel<T>(file: string, threads: number, use: (model: LlamaModel) => Promise<T>): Promise<T> {
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: threads, logLevel: LlamaLogLevel.error })
  const model = await llama.loadModel({ modelPath: file })
  const result = await use(model)
  await llama.dispose()
  return result
}

/** Token ids of a text, and how many there are in all. */
export const tokenise = (file: string, text: string): Promise<{ readonly tokens: readonly number[]; readonly vocabulary: number }> =>
  withModel(file, 1, async (model) => ({
    tokens: model.tokenize(text),
    vocabulary: model.fileInfo.metadata.tokenizer.ggml.tokens.length,
  }))

export const measure = ({ file, threads, windows, prompt, continue_tokens }: MeasureOptions): Promise<Measured> =>
  withModel(file, threads, async (model) => {
    const longest = Math.max(...windows.map((window) => window.length), prompt.length + continue_tokens)
    const size = { sequences: 1, contextSize: longest + 2, batchSize: longest + 2, threads }
    const exact = await model.createContext({ ...size, ...EXACT_CACHE })
    const windowSequence = exact.getSequence()
    const measured = []
    for (const window of windows) {
      await windowSequence.clearHistory()
      measured.push(await evaluateWindow(windowSequence, window.map(tokenOf)))
    }
    await exact.dispose()
    // As it is served: the engine compares what it says to the same prompt.
    const context = await model.createContext(size)
    const sequence = context.getSequence()
    const continuation: Token[] = []
    for await (const token of sequence.evaluate(model.tokenize(prompt), { temperature: 0, yieldEogToken: true })) {
      continuation.push(token)
      if (continuation.length === continue_tokens) break
    }
    return {
      losses_nats: measured.map(({ loss_nats }) => loss_nats),
      last_logits: measured.map(({ last_logits }) => last_logits),
      continuation: model.detokenize(continuation),
    }
  })

async function evaluateWindow(sequence: LlamaContextSequence, window: readonly Token[]) {
  const outputs = await sequence.controlledEvaluate(
    window.map((token, index) => {
      const next = window[index + 1]
      // `includeMax` of 3.22 leaves the largest out unless it was requested by name.
      const logits = next === undefined || { filter: { tokens: [next], includeTop: 1 } }
      return [token, { generateNext: { logits, totalLogitWeight: true } }]
    }),
  )
  let loss = 0
  let last_logits = new Float32Array()
  for (const [index, output] of outputs.entries()) {
    const { logits = new Map<Token, number>(), totalLogitWeight: total = Number.NaN } = output?.next ?? {}
    const next = window[index + 1]
    // Minus the logarithm of softmax: the total is the sum of exp(logit - largest).
    if (next !== undefined) loss += Math.max(...logits.values()) + Math.log(total) - (logits.get(next) ?? Number.NaN)
    else {
      last_logits = new Float32Array(logits.size)
      for (const [token, logit] of logits) last_logits[token] = logit
    }
  }
  return { loss_nats: loss / (window.length - 1), last_logits }
}
