// An engine that adds, wrong on some sums: which ones depends on the name that it is asked by.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type AddingEngine = { readonly url: string; readonly close: () => Promise<void> }

/** A model by its name: on one sum in so many it forgets what it carries. */
export async function startAddingEngine(oneIn: Readonly<Record<string, number>>): Promise<AddingEngine> {
  const server = createServer((request, response) => void answer(request, response, oneIn))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, oneIn: Readonly<Record<string, number>>): Promise<void> {
  const body = (await request.toArray()).join('')
  const said = request.url === '/v1/completions' ? completion(JSON.parse(body), oneIn) : models(oneIn)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(said))
}

const models = (oneIn: Readonly<Record<string, number>>): object => ({
  data: Object.keys(oneIn).map((id) => ({ id, owned_by: 'adder', version: '1' })),
})

function completion({ prompt, model }: { prompt: string; model: string }, oneIn: Readonly<Record<string, number>>): object {
  const [first = 0, second = 0] = (prompt.match(/\d+/g) ?? []).map(Number)
  const isWrong = (first + second) % (oneIn[model] ?? 1) === 0
  return { choices: [{ text: ` ${first + second - (isWrong ? 10 : 0)}` }], usage: { prompt_tokens: 3, completion_tokens: 2 } }
}
