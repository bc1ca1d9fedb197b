export type {
  ChosenToken,
  EmbedResult,
  OutputFormat,
  GeneratePart,
  GenerateRequest,
  Message,
  Prompt,
  Refusal,
  EmbedRefusal,
  Sampling,
  ServedModel,
  ServingEngine,
  TokenChance,
  Usage,
  EngineVitals,
} from './engine.ts'
export { writeEndpoint } from './host/endpoint-file.ts'
export { type EngineHost, type HostOptions, startEngineHost } from './host/engine-host.ts'
export type { KnownAnswer } from './host/known-answer.ts'
