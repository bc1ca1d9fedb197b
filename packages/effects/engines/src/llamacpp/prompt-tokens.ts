// A prompt as the model reads it. A chat is laid out by the template in the model's file; its text is never taken for control tokens.

import { type ChatHistoryItem, type ChatWrapper, type LlamaModel, LlamaText, type Token } from 'node-llama-cpp'
import type { Message, Prompt } from '../engine.ts'

export type TokenisedPrompt = { readonly tokens: Token[]; readonly stop: readonly string[] }

export function promptTokens(model: LlamaModel, wrapper: ChatWrapper, prompt: Prompt): TokenisedPrompt {
  switch (prompt.kind) {
    case 'text':
      return { tokens: [...startTokens(model), ...model.tokenize(prompt.text)], stop: [] }
    case 'tokens':
      return { tokens: prompt.tokens.map(tokenOf), stop: [] }
    case 'chat': {
      const state = wrapper.generateContextState({ chatHistory: prompt.messages.map(historyItem) })
      const tokens = LlamaText(state.contextText).tokenize(model.tokenizer)
      return { tokens, stop: state.stopGenerationTriggers.map((trigger) => plainText(trigger)).filter((text) => text !== '') }
    }
  }
}

/** Triggers that are special tokens end the answer as tokens; those of plain text are stop strings. */
const plainText = (trigger: LlamaText): string =>
  trigger.values.every((value) => typeof value === 'string') ? trigger.values.join('') : ''

const startTokens = (model: LlamaModel): Token[] =>
  model.tokens.shouldPrependBosToken && model.tokens.bos !== null ? [model.tokens.bos] : []

function historyItem({ role, content }: Message): ChatHistoryItem {
  switch (role) {
    case 'system':
      return { type: 'system', text: content }
    case 'user':
      return { type: 'user', text: content }
    case 'assistant':
      return { type: 'model', response: [content] }
  }
}

/** The library brands its token ids. */
export const tokenOf = (id: number): Token => id as Token
