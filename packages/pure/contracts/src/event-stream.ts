// Server-sent events as they arrive, by the rules of the standard: comments, any line end, events cut anywhere, data of several lines.

import { createParser } from 'eventsource-parser'
import { EVENT, type EventView } from './api.ts'

/** The data of each event. An event that the stream did not finish is none. */
export async function* eventData(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const found: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void found.push(data) })
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* found.splice(0)
  }
}

/** Events of the control plane, until the connection ends or breaks. */
export async function* watchedEvents({ body }: Response): AsyncGenerator<EventView> {
  if (body) for await (const data of eventData(chunksUntilLost(body))) yield EVENT.parse(JSON.parse(data))
}

async function* chunksUntilLost(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  for (;;) {
    // A connection that breaks is one that ends: the caller connects again.
    const part = await reader.read().catch(() => undefined)
    if (!part || part.done) return
    yield part.value
  }
}
