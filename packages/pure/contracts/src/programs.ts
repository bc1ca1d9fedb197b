// The flags of each program. Help texts are written for the command that starts it.

import type { FlagTable, NumberRange } from './program-flags.ts'

const PORT = { least: 0, most: 65_535, isWhole: true } as const satisfies NumberRange
const COUNT = { least: 1, isWhole: true } as const satisfies NumberRange
/** More nodes of one machine, or processes of one node, are a slip of the finger. */
const LOCAL_COUNT = { least: 1, most: 10_000, isWhole: true } as const satisfies NumberRange

export const GATEWAY_FLAGS = {
  config: { value: 'source', help: 'the snapshot: a file or a URL, followed for changes', default: 'gateway.json' },
  snapshot: { value: 'source', help: 'former name of --config', hidden: true },
  control: {
    value: 'url',
    help: 'get the snapshot of its deployments from this control plane instead. IRONLAW_TOKEN is the token; without one, an administrator whose context has this address gets one that lasts as long as the gateway runs',
  },
  id: { value: 'name', help: 'name of this gateway at the control plane', defaultText: 'the host name' },
  state: { value: 'directory', help: 'directory for the last snapshot and the request log', default: '.' },
  host: { value: 'address', help: 'address to listen on', default: '127.0.0.1' },
  port: { value: 'n', help: 'port for clients', default: 8080, range: PORT },
  'admin-host': { value: 'address', help: 'address for health and metrics, separate from clients', default: '127.0.0.1' },
  'admin-port': { value: 'n', help: 'port for health and metrics', default: 8081, range: PORT },
  database: { value: 'url', help: 'PostgreSQL, for budgets', defaultText: 'IRONLAW_GATEWAY_DATABASE' },
  'database-file': { value: 'path', help: 'file with that URL, so that its password is not on the command line' },
  'max-connections': {
    value: 'n',
    help: 'maximum client connections; further ones are closed at once',
    defaultText: '20000',
    range: COUNT,
  },
  'held-mib': {
    value: 'n',
    help: 'MiB of memory for request bodies and buffered answers, at most half of it for one tenant',
    defaultText: '512',
    range: { least: 1 },
  },
  'max-snapshot-age-s': {
    value: 'seconds',
    help: 'refuse requests when the control plane has not confirmed the configuration for this long',
    defaultText: 'never',
    range: { least: 0 },
  },
  'drain-s': { value: 'seconds', help: 'how long running answers may finish after a signal', default: 30, range: { least: 0 } },
} as const satisfies FlagTable

export const ENGINE_FLAGS = {
  model: { value: 'path', help: 'what "ironlaw export" wrote, or a GGUF', required: true },
  weights: { value: 'kind', help: 'f32, f16, q8_0 or q4_0', defaultText: 'q8_0 where it is there' },
  id: { value: 'name', help: 'the name clients use', defaultText: 'that of the version or the file' },
  host: { value: 'address', help: 'address to listen on', default: '127.0.0.1' },
  port: { value: 'n', help: 'port to listen on', defaultText: '8000', range: PORT },
  slots: { value: 'n', help: 'answers generated concurrently', default: 8, range: COUNT },
  context: {
    value: 'tokens',
    help: 'context length, prompt and answer together',
    defaultText: 'as trained, at most 4096',
    range: COUNT,
  },
  threads: {
    value: 'n',
    help: 'number of threads, at most one per free core; 0 means all',
    default: 0,
    range: { least: 0, isWhole: true },
  },
  batch: { value: 'tokens', help: 'tokens of all prompts and answers in one step', default: 512, range: COUNT },
  queue: {
    value: 'n',
    help: 'requests that may wait; more are refused with 503',
    defaultText: 'twice the slots',
    range: { least: 0, isWhole: true },
  },
  'drain-s': { value: 'seconds', help: 'how long running answers may finish after a signal', default: 30, range: { least: 0 } },
  'no-embeddings': { help: 'disable /v1/embeddings, which need a context of their own' },
  log: { help: 'log every request as a line of JSON' },
} as const satisfies FlagTable

export const EXPORT_FLAGS = {
  to: { value: 'directory', help: 'output directory', required: true },
  format: { value: 'list', help: 'gguf, safetensors', default: 'gguf,safetensors' },
  quantise: { value: 'list', help: 'GGUF files in addition to the 32-bit one: f16, q8_0, q4_0', default: 'q8_0' },
  config: { value: 'file', help: "the model's config.json, which a checkpoint does not hold" },
  'held-out': { value: 'file', help: 'text that was not trained on: the perplexity of each file is measured on it' },
  name: { value: 'name', help: 'what the model is called', defaultText: 'the name of the run, or "model"' },
  seeded: { value: 'n', help: 'the source is a config.json: generate its weights from this seed, for measurements' },
  python: { value: 'command', help: 'has PyTorch', variable: 'IRONLAW_PYTHON', default: '/usr/bin/python3' },
} as const satisfies FlagTable

export const SERVER_FLAGS = {
  executor: {
    value: 'name',
    help: 'local (processes of this machine), slurm or slurm-rest',
    variable: 'IRONLAW_EXECUTOR',
    default: 'local',
  },
  database: {
    value: 'where',
    help: 'postgres://..., or a directory for one inside',
    variable: 'IRONLAW_DATABASE',
    defaultText: '~/.ironlaw/database',
  },
  listen: { value: 'host:port', help: 'where the API listens', variable: 'IRONLAW_LISTEN', default: '127.0.0.1:7600' },
  api: { value: 'url', help: 'address under which jobs reach the API, if it differs' },
  runs: { value: 'directory', help: 'storage that all nodes share', variable: 'IRONLAW_RUNS', defaultText: '~/.ironlaw/runs' },
  logs: { value: 'directory', help: 'where logs are kept', variable: 'IRONLAW_LOGS', defaultText: '~/.ironlaw/logs' },
  'context-file': {
    value: 'file',
    help: 'where the other commands find address and token',
    defaultText: 'IRONLAW_CONTEXT or ~/.ironlaw/context.json',
  },
  context: { value: 'file', help: 'former name of --context-file', hidden: true },
  python: { value: 'command', help: 'Python for the agents', variable: 'IRONLAW_PYTHON', default: '/usr/bin/python3' },
  partition: { value: 'name', help: 'Slurm partition' },
  accelerators: { value: 'file', help: 'JSON: what the cluster calls the accelerators that plans name' },
  'slurm-api': { value: 'url', help: 'address of slurmrestd' },
  'slurm-user': { value: 'name', help: 'user that jobs are submitted as through slurmrestd' },
  'slurm-token-file': { value: 'file', help: "file with that user's token" },
  nodes: { value: 'n', help: 'number of nodes of the local executor', default: 4, range: LOCAL_COUNT },
  slots: { value: 'n', help: 'processes per node of the local executor', default: 8, range: LOCAL_COUNT },
  devices: { value: 'kind:n', help: 'accelerators per node of the local executor, such as gpu:rtx-4090:1', defaultText: 'none' },
  'log-file': {
    value: 'file',
    help: 'where the control plane logs, as JSON lines',
    defaultText: 'control-plane.log next to the context file',
  },
  'no-console-build': { help: 'serve the console as it is, if at all, instead of building it when it is missing or old' },
  verbose: { help: 'also log every request to the terminal' },
} as const satisfies FlagTable
