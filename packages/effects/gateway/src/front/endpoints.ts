// The paths of OpenAI's API that the gateway serves.

export type Endpoint = 'chat' | 'completions' | 'embeddings'

export const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions', 'completions'],
  ['/v1/embeddings', 'embeddings'],
])
