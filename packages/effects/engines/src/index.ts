export type {
  ChosenToken,
  Embedded,
  Form,
  GeneratePart,
  GenerateRequest,
  Message,
  Prompt,
  Refusal,
  Refused,
  Sampling,
  ServedModel,
  ServingEngine,
  TokenChance,
  Usage,
  Vitals,
} from './engine.ts'
export { writeEndpoint } from './host/endpoint-file.ts'
export { type EngineHost, type HostOptions, startEngineHost } from './host/engine-host.ts'
export type { KnownAnswer } from './host/known-answer.ts'
