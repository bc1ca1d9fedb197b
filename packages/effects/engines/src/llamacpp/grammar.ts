// An answer's form as a grammar that the sampler keeps. A schema that the library cannot turn into one is refused with its reason.

import { type Llama, type LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp'
import type { OutputFormat } from '../engine.ts'

type Schema = Parameters<Llama['createGrammarForJsonSchema']>[0]

const HAVE_ONE_OF = ['type', 'enum', 'const', 'oneOf', '$ref']

export async function grammarOf(
  llama: Llama,
  model: LlamaModel,
  form: OutputFormat,
): Promise<LlamaGrammarEvaluationState | { readonly refused: string }> {
  if (form.kind === 'json') return new LlamaGrammarEvaluationState({ model, grammar: await llama.getGrammarFor('json') })
  const { schema } = form
  if (!isSchema(schema)) return { refused: `a schema needs one of ${HAVE_ONE_OF.join(', ')}` }
  const grammar = await compileSchema(llama, schema)
  return 'refused' in grammar ? grammar : new LlamaGrammarEvaluationState({ model, grammar })
}

async function compileSchema(llama: Llama, schema: Schema): Promise<LlamaGrammar | { readonly refused: string }> {
  try {
    return await llama.createGrammarForJsonSchema(schema)
  } catch (cause) {
    return { refused: `the schema cannot be kept: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

const isSchema = (schema: object): schema is Schema => HAVE_ONE_OF.some((key) => key in schema)
