// The flags of each program. Help texts are written for the command that starts it.

import type { FlagTable, NumberRange } from './program-flags.ts'
import { SIGN_IN_FLAGS } from './sign-in-flags.ts'

const PORT = { least: 0, most: 65_535, isWhole: true } as const satisfies NumberRange
const COUNT = { least: 1, isWhole: true } as const satisfies NumberRange
/** More nodes of one machine, or processes of one node, are a slip of the finger. */
const LOCAL_COUNT = { least: 1, most: 10_000, isWhole: true } as const satisfies NumberRange

const TLS_FILES = {
  'tls-cert': { value: 'file', help: 'PEM file of the certificate to serve with, read again when it changes' },
  'tls-key': { value: 'file', help: 'PEM file of its private key' },
} as const satisfies FlagTable

const INSECURE_HTTP = { help: 'serve plain HTTP beyond this machine, where anyone on the way reads tokens and prompts' }

export const GATEWAY_FLAGS = {
  config: { value: 'source', help: 'the snapshot: a file or a URL, followed for changes', default: 'gateway.json' },
  snapshot: { value: 'source', help: 'former name of --config', hidden: true },
  control: {
    value: 'url',
    help: 'get the snapshot of its deployments from this control plane instead. IRONLAW_TOKEN is the token; without one, an administrator whose context has this address gets one that lasts as long as the gateway runs',
  },
  'token-file': {
    value: 'path',
    help: 'file with the token for the control plane, in place of IRONLAW_TOKEN; read for every request, so that a rotated token needs no restart',
  },
  id: { value: 'name', help: 'name of this gateway at the control plane', defaultText: 'the host name' },
  state: { value: 'directory', help: 'directory for the last snapshot and the request log', default: '.' },
  host: { value: 'address', help: 'address to listen on', default: '127.0.0.1' },
  ...TLS_FILES,
  ca: {
    value: 'file',
    help: "authority of the control plane's certificate, in PEM, if this machine does not trust it anyway",
    variable: 'IRONLAW_CA',
  },
  'insecure-http': INSECURE_HTTP,
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
  'require-signature': {
    value: 'file',
    help: 'refuse a model that was not signed with the private half of this public key (PEM)',
    variable: 'IRONLAW_REQUIRE_SIGNATURE',
  },
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
  'trusted-proxy': {
    value: 'addresses',
    help: 'proxies, as addresses or networks with commas between them, whose X-Forwarded-For names the client',
    defaultText: 'none',
  },
  'audit-to': {
    value: 'targets',
    help: 'also send the access trail and the heads of all chains there: file:PATH, syslog:udp://HOST:PORT (or tcp, tls) or https://..., with commas between them; IRONLAW_AUDIT_TOKEN is the token for https',
    defaultText: 'nowhere',
  },
  openlineage: {
    value: 'url',
    help: 'also tell a receiver of OpenLineage which artifacts runs used and made, such as https://HOST/api/v1/lineage; IRONLAW_OPENLINEAGE_TOKEN is its token',
    defaultText: 'nowhere',
  },
  ...TLS_FILES,
  'tls-ca': { value: 'file', help: 'PEM file of the authority that clients trust, if they do not know it anyway' },
  authority: {
    value: 'directory',
    help: "the site's own authority, made when it is needed, for certificates that no files are given for",
    defaultText: 'authority next to the context file',
  },
  'insecure-http': INSECURE_HTTP,
  runs: { value: 'directory', help: 'storage that all nodes share', variable: 'IRONLAW_RUNS', defaultText: '~/.ironlaw/runs' },
  logs: { value: 'directory', help: 'where logs are kept', variable: 'IRONLAW_LOGS', defaultText: '~/.ironlaw/logs' },
  'context-file': {
    value: 'file',
    help: 'where the other commands find address and token',
    defaultText: 'IRONLAW_CONTEXT or ~/.ironlaw/context.json',
  },
  context: { value: 'file', help: 'former name of --context-file', hidden: true },
  artifacts: {
    value: 'url',
    help: 'where artifacts are stored: a directory that all machines see, or s3://bucket/prefix',
    variable: 'IRONLAW_ARTIFACTS_URL',
    defaultText: '"artifacts" beside the context file',
  },
  'require-signature': {
    value: 'file',
    help: 'engines of replicas refuse a model that was not signed with the private half of this public key (PEM), which all nodes have at this path',
    variable: 'IRONLAW_REQUIRE_SIGNATURE',
  },
  'secrets-key': {
    value: 'file',
    help: 'keys that seal the secrets of projects; made if it is missing and no secret needs it',
    variable: 'IRONLAW_SECRETS_KEY',
    defaultText: 'secrets.key next to the context file',
  },
  python: { value: 'command', help: 'Python for the agents', variable: 'IRONLAW_PYTHON', default: '/usr/bin/python3' },
  partition: { value: 'name', help: 'Slurm partition' },
  accelerators: { value: 'file', help: 'JSON: what the cluster calls the accelerators that plans name' },
  'job-users': {
    value: 'list',
    help: 'Unix users that jobs may run as, such as search,ads: each job runs as the user of its team (needs root); an account of the system as NAME:UID',
    variable: 'IRONLAW_JOB_USERS',
  },
  'single-user': { help: 'run all jobs as the user of the control plane, also beyond loopback and with teams' },
  'slurm-jwt-key': { value: 'file', help: 'key of the cluster (jwt_key of slurm.conf) that signs the tokens of job users for slurmrestd' },
  'slurm-token-command': { value: 'command', help: 'prints the slurmrestd token of the user that it is called with, instead of a key' },
  'slurm-api': { value: 'url', help: 'address of slurmrestd, or of the proxy that serves it over https' },
  'slurm-ca': {
    value: 'file',
    help: 'authority of its certificate, in PEM, read again when it changes; no other is trusted there then',
    defaultText: 'those that this machine trusts',
  },
  'slurm-user': { value: 'name', help: 'user that jobs are submitted as through slurmrestd' },
  'slurm-token-file': { value: 'file', help: "file with that user's token" },
  ...SIGN_IN_FLAGS,
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
