// A serving engineer plans a deployment, exports a model, serves it, and tries revisions that are bad: section 1c of the audit. Other kinds of broken
// revision are in `npm run e2e:serving`, mistakes of the gateway in `npm run mistakes`.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientLoad } from '../serving/client-load.ts'
import type { Journey, Stumble } from './journey.ts'
import { MOE_30B } from './own-models.ts'

const API = 'http://127.0.0.1:7600'
const GATEWAY = 'http://127.0.0.1:8080'

const PLANNED = [
  'apiVersion: ironlaw/v1',
  'kind: Serve',
  'name: moe',
  'model: moe30b',
  'traffic: { requests_per_s: 20, input_tokens: 1000, output_tokens: 500 }',
  'objectives: { ttft: 800 ms, tpot: 50 ms }',
  'accelerators: [a100]',
  '',
].join('\n')

/** The model is at `models/tiny`, which is not there at first. */
const deployed = (model: string, replicas = 1): string =>
  [
    'apiVersion: ironlaw/v1',
    'kind: Serve',
    'name: chat',
    'model: ../examples/reference-trainer/tiny.config.json',
    'traffic: { requests_per_s: 2, input_tokens: 60, output_tokens: 32 }',
    'objectives: { ttft: 500 ms, tpot: 50 ms }',
    'accelerators: [cpu-core]',
    'precisions: [bf16]',
    'price: $0.04/h',
    'spare: 0',
    'deploy:',
    "  program: [npx, ironlaw, engine, --model, models/tiny, --port, '0', --slots, '4', --threads, '1']",
    '  directory: .',
    `  model: ${model}`,
    `  replicas: ${replicas}`,
    '  max_running: 4',
    '  limits: { drain_s: 1 }',
    '',
  ].join('\n')

const PLAN = 'npx ironlaw plan own/serve.yaml'
const APPLY = 'npx ironlaw apply own/chat.yaml --with examples/reference-trainer/fleet.yaml -y --detach'
const EXPORT = 'npx ironlaw export examples/reference-trainer/tiny.config.json --seeded 1 --to exported --name tiny --format gguf'

const ON_PAPER: readonly Stumble[] = [
  {
    at: '1c plan',
    was: '"held by: compute" beside 3 % of the arithmetic',
    look: PLAN,
    shows: [/held by/, /limited by (?:tpot|ttft|memory)/],
    lacks: [/of the arithmetic/],
  },
  {
    at: '5',
    was: '"p90 of first token within ..., of each further within ..."',
    look: PLAN,
    shows: [/SLO: p90 TTFT 800 ms, p90 TPOT 50 ms/, /Utilization at that limit: \d+ %/],
  },
  {
    at: '1c plan',
    was: 'vLLM is told to serve a config.json, under no name',
    look: `${PLAN} --export vllm`,
    shows: [/^vllm serve moe30b \\$/m, /--served-model-name moe\b/],
  },
  {
    at: '1c plan',
    was: 'Kubernetes gets the path of a config.json, too',
    look: `${PLAN} --export kubernetes`,
    shows: [/"vllm", "serve", "moe30b"/, /"--served-model-name"/],
  },
  {
    at: '1c plan',
    was: '--max-model-len is twice the mean length, which refuses long requests',
    look: `${PLAN} --export vllm`,
    shows: [/--max-model-len 1\d{4}\b/],
  },
  {
    at: '1a what-if',
    was: 'serving specs cannot be swept',
    look: 'npx ironlaw whatif own/serve.yaml --set traffic.requests_per_s=10,40',
    shows: [/^ +10 +\d+ x a100/m, /moves the price of an hour/],
  },
]

const STARTED: readonly Stumble[] = [
  {
    at: '1c key',
    was: '"key" prints an entry, and not where it goes',
    look: 'npx ironlaw key me',
    shows: [/API key \(shown only once\): sk-/, /Add this under "keys:" in your Access document/],
  },
  {
    at: '1c starts',
    was: 'a model that is not there shows "0 of 1 replicas serve" and no reason',
    look: async (journey) => {
      await journey.printed(APPLY)
      return journey.until('npx ironlaw get chat', /cannot read models\/tiny/)
    },
    shows: [/0 of 1 replicas serve; .*cannot read models\/tiny/],
  },
  {
    at: '1c starts',
    was: '"describe", "logs" and "events" know no deployments',
    look: 'npx ironlaw describe chat && npx ironlaw logs chat --replica 1 && npx ironlaw events chat',
    shows: [/gone, newest first/, /^error IL_FILE: cannot read models\/tiny/m, /replica-gone/],
  },
  {
    at: '1c starts',
    was: 'a deployment comes back by itself once the model is there (kept)',
    look: (journey) => {
      renameSync(join(journey.shell.folder, 'exported'), join(journey.shell.folder, 'own/models/tiny'))
      return journey.until('npx ironlaw get chat', /serving +1\/1/)
    },
  },
  {
    at: '1c curl',
    was: 'answers name another model than was asked for',
    left: 'the gateway passes the bytes of an engine on as they come, with the name under which the engine serves',
    look: (journey) => journey.until(`curl -s ${GATEWAY}/v1/chat/completions ${HEADERS} -d '${ASKED}'`, /"choices"/),
    shows: [/"model": ?"chat"/],
  },
  {
    at: '1c bench',
    was: '"bench serve" with its defaults fails every request of its own example',
    look: 'npx ironlaw bench serve chat --key $KEY --rate 2 --seconds 5',
    exit: 3,
    shows: [/fit the context|context/],
    lacks: [/all \d+ requests failed/i],
  },
  {
    at: '1c metrics',
    was: 'metrics of the gateway have neither HELP nor TYPE',
    look: 'curl -s http://127.0.0.1:8081/metrics',
    shows: [/^# HELP gen_ai/m, /^# TYPE gen_ai/m],
  },
  {
    at: '1c gateway',
    was: 'the gateway leaves files in the current directory',
    left: 'the default of --state is the working directory, and another one would lose the snapshot of gateways in use',
    look: ({ shell }) => shell.tryCommand('ls').then(({ output }) => output),
    lacks: [/last-snapshot\.json/, /^requests$/m],
  },
]

const HEADERS = '-H "Authorization: Bearer $KEY" -H "content-type: application/json"'
const ASKED = '{"model":"chat","max_tokens":4,"messages":[{"role":"user","content":"hello"}]}'

const REVISED: readonly Stumble[] = [
  {
    at: '1c the 404 canary',
    was: 'a revision that refuses every request is never taken back, and clients get 404',
    look: misnamedRevision,
    shows: [/lost 0/, /rolled.back/, /tiny-llama/],
  },
  {
    at: '1c the way back',
    was: 'there is no way back after a promotion',
    look: async (journey) => {
      writeFileSync(join(journey.shell.folder, 'own/chat.yaml'), deployed('tiny').replace("--slots, '4'", "--slots, '3'"))
      await journey.shell.tryCommand(APPLY)
      await journey.until('npx ironlaw rollout status chat', /serving[^]*serving/)
      await journey.shell.tryCommand('npx ironlaw rollout promote chat')
      await journey.until('npx ironlaw rollout status chat', /revision 3 serves/)
      const { output } = await journey.shell.tryCommand('npx ironlaw rollout back chat')
      return output + (await journey.until('npx ironlaw rollout status chat', /revision 1 serves/))
    },
    shows: [/revision 1 serves/],
    lacks: [/tries no new revision/],
  },
  { at: '1c remove', was: '"remove" asks nothing', look: 'npx ironlaw remove chat < /dev/null', exit: 1, shows: [/-y/] },
  { at: '1c remove', was: '"remove" does not say what it does', look: 'npx ironlaw remove chat -y', shows: [/chat is being removed/] },
  { at: '5', was: '"3 of 2 replicas"', look: 'npx ironlaw rollout status chat', lacks: [/\b3 of 2 replicas/] },
]

/** One word off: the engine calls its model `tiny`, the spec `tiny-llama`. Clients ask all the while. */
async function misnamedRevision(journey: Journey): Promise<string> {
  const { shell } = journey
  const url = (await shell.tryCommand(`echo ${GATEWAY}`)).output.trim()
  const key = (await shell.tryCommand('echo $KEY')).output.trim()
  const load = new ClientLoad({ url, key, workers: 2 })
  writeFileSync(join(shell.folder, 'own/chat.yaml'), deployed('tiny-llama'))
  await shell.tryCommand(APPLY)
  const seen = await journey.until('npx ironlaw rollout status chat', /rolled.back/)
  await load.stop()
  const { answered, cut, lost } = load.takeCounts()
  return `${seen}\nanswered ${answered}, cut ${cut}, lost ${lost}\n${[...load.problems].join('\n')}`
}

export async function servingEngineer(journey: Journey): Promise<void> {
  const { shell } = journey
  const at = (name: string): string => join(shell.folder, name)
  for (const directory of ['own/moe30b', 'own/models']) mkdirSync(at(directory), { recursive: true })
  writeFileSync(at('own/moe30b/config.json'), JSON.stringify(MOE_30B))
  writeFileSync(at('own/serve.yaml'), PLANNED)
  writeFileSync(at('own/chat.yaml'), deployed('tiny'))
  await journey.meets(...ON_PAPER)
  await shell.run({ command: EXPORT, prints: ['tiny mv-...'] })
  await shell.run({ command: 'npx ironlaw up --no-console-build &', prints: [`listening on ${API}`] })
  await letIn(journey)
  await journey.meets(...STARTED, ...REVISED)
}

/** A key of the engineer's own, and a gateway that follows the control plane. */
async function letIn({ shell }: Journey): Promise<void> {
  const { key, entry } = JSON.parse((await shell.tryCommand('npx ironlaw key me --json')).output)
  writeFileSync(
    join(shell.folder, 'access.json'),
    JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Access', tenants: { me: {} }, keys: [entry] }),
  )
  await shell.run({ command: 'npx ironlaw apply access.json -y', prints: [] })
  const { secret } = JSON.parse((await shell.tryCommand('npx ironlaw token create gateway-1 --role gateway --json')).output)
  await shell.run({ command: `export KEY=${key}`, prints: [] })
  await shell.run({ command: `IRONLAW_TOKEN=${secret} npx ironlaw gateway --control ${API} --id gateway-1 &`, prints: ['gateway at ...'] })
}
