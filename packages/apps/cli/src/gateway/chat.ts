// `ironlaw chat`: a conversation in the terminal, through a gateway.

import { createInterface } from 'node:readline/promises'
import { paint } from '../paint.ts'
import { chatStream, type Message } from './chat-stream.ts'
import { type GatewayFlags, gatewayOf } from './gateway-flags.ts'

export type ChatFlags = GatewayFlags & { readonly system?: string; readonly maxTokens?: string }

export async function chat(model: string, flags: ChatFlags): Promise<void> {
  const gateway = gatewayOf(flags, 'chat')
  const messages: Message[] = flags.system === undefined ? [] : [{ role: 'system', content: flags.system }]
  const limit = flags.maxTokens === undefined ? {} : { max_tokens: Number(flags.maxTokens) }
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY })
  const prompt = process.stdin.isTTY ? paint('bold', '> ') : ''
  process.stdout.write(prompt)
  for await (const line of terminal) {
    if (line.trim() === '') continue
    messages.push({ role: 'user', content: line })
    let content = ''
    for await (const piece of chatStream(gateway, { model, messages, ...limit }, AbortSignal.timeout(600_000))) {
      if (!('text' in piece)) continue
      content += piece.text
      process.stdout.write(piece.text)
    }
    messages.push({ role: 'assistant', content })
    process.stdout.write(`\n${prompt}`)
  }
}
