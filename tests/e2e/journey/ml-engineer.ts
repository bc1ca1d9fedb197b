// An ML engineer with 64 A100 and one 100 Gb/s adapter per node plans a dense 13B and a mixture of experts of 30B: sections 1 and 1a of the audit, and
// of section 5 what the planner says.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DENSE_13B, MOE_30B } from './own-models.ts'
import type { Journey, Stumble } from './journey.ts'

const ROOT = join(import.meta.dirname, '../../..')

const spec = (name: string, link: string): string =>
  [
    'apiVersion: ironlaw/v1',
    'kind: Train',
    `name: ${name}`,
    `model: ${name}`,
    'tokens: 300B',
    'sequence: 4096',
    'globalBatch: 4M tokens',
    `fleet: { accelerator: a100, count: 64${link === '' ? '' : `, link: ${link}`} }`,
    '',
  ].join('\n')

const FILES: Readonly<Record<string, string>> = {
  'own/dense13b/config.json': JSON.stringify(DENSE_13B),
  'own/moe30b/config.json': JSON.stringify(MOE_30B),
  'own/train13.yaml': spec('dense13b', '100 Gb/s per node'),
  'own/train13-fast.yaml': spec('dense13b', 'ethernet-100'),
  'own/train13-any.yaml': spec('dense13b', ''),
  // With the strategy fixed a sweep takes no search.
  'own/pinned.yaml': `${spec('dense13b', '400 Gb/s').replace('a100', 'h100-sxm')}strategy: { tensor: 2, pipeline: 2, context: 1, microbatch: 1 }\n`,
  'own/train30.yaml': spec('moe30b', '100 Gb/s per node'),
}

/** As the audit wrote them: flags, no spec. */
const LLAMA = 'npx ironlaw plan --model Llama-3.1-8B --gpus 64 --on a100 --tokens 1T'
const README = 'npx ironlaw plan --model Llama-3.1-405B --gpus 16384 --on h100-sxm --tokens 15.6T --top 3'
const PLAN_13B = 'npx ironlaw plan own/train13.yaml'
const DIFF = 'npx ironlaw plan diff own/train13.yaml own/train13-fast.yaml'
const SIMULATED = 'npx ironlaw simulate run own/train13.yaml'
const MEGATRON_30B = 'npx ironlaw plan own/train30.yaml --export megatron 2> /dev/null'

const guide = (name: string): string => readFileSync(join(ROOT, 'docs/guides', `${name}.md`), 'utf8')
const git = (...argv: readonly string[]): string => execFileSync('git', ['-C', ROOT, ...argv], { encoding: 'utf8' })

const FIRST_MINUTE: readonly Stumble[] = [
  {
    at: '1.1',
    was: 'npm ci makes a bin executable and leaves the tree dirty',
    look: () => git('ls-files', '--stage', 'packages/apps/cli/src/main.ts', 'packages/effects/gateway/src/main.ts'),
    lacks: [/^100644/m],
  },
  {
    at: '1.2',
    was: 'memory.usable is larger than memory.capacity, unexplained',
    left: 'both figures are as their sources have them, which the card names: the data sheet counts GiB and writes GB',
    look: 'npx ironlaw catalog h100-sxm',
    shows: [/memory\.capacity +80 GB/, /GiB/],
  },
  {
    at: '1.3',
    was: 'a plan whose interval crosses the limit of the memory is called one that fits',
    look: README,
    shows: [/ GB \([\d.]+ GB to [\d.]+ GB, 90 %\) of 85\.5 GB$/m, /^fits with (?:9\d|more than 99) %$/m],
  },
  {
    at: '1.4',
    was: 'causes of a step are called "products", "data", "send"',
    look: README,
    shows: [/^matrix products /m, /^data exchange /m, /^tensor exchange /m],
    lacks: [/^(?:products|data|tensor|vector|send|launch) {2}/m],
  },
  {
    at: '1.5',
    was: '"npx ironlaw" outside the clone asks a registry for a name that nobody has taken',
    left: 'the name is registered with the first release; until then every page says that commands run from the root of the clone',
    look: () => readFileSync(join(ROOT, 'packages/apps/cli/package.json'), 'utf8'),
    lacks: [/"private": true/],
  },
]

const SIZES: readonly Stumble[] = [
  {
    at: '1a trap 1',
    was: '"4M tokens" becomes 977 sequences, a prime',
    look: PLAN_13B,
    shows: [/batch 1024 x 4096/, /4M tokens = 1,024 sequences of 4,096/],
  },
  { at: '1a trap 1', was: '"--sequence 8k" means 8000', look: `${LLAMA} --sequence 8k`, shows: [/batch \d+ x 8192/] },
  {
    at: '1a trap 1',
    was: '"--batch 4M" means 4,000,000 sequences',
    look: `${LLAMA} --batch 4M`,
    exit: 1,
    shows: [/Did you mean "4M tokens"/],
  },
  {
    at: '1a trap 1',
    was: 'nothing warns of a batch that divides badly',
    look: `${LLAMA} --batch 977`,
    shows: [/better: batch 1,024 instead of 977/],
  },
  { at: '1a last', was: '"tokens: 300B" is refused in YAML', look: PLAN_13B, shows: [/300B tokens/] },
  { at: '1a last', was: '"model:" starts at the current directory, not at the spec', look: PLAN_13B, shows: [/^dense13b\/config\.json/m] },
  {
    at: '1a last',
    was: 'training specs are in camelCase, serving specs mix it with snake_case',
    left: 'fields of the traffic carry their unit (requests_per_s), as everywhere in the API; to rename them would break specs that are in use',
    look: 'npx ironlaw schema Serve',
    lacks: [/requests_per_s/],
  },
]

const NETWORK: readonly Stumble[] = [
  {
    at: '1a trap 2',
    was: 'a link of the catalog is refused',
    look: 'npx ironlaw plan own/train13-fast.yaml',
    shows: [/100 Gb\/s per accelerator between nodes \(given\)/],
  },
  {
    at: '1a trap 2',
    was: 'one adapter for eight devices cannot be said',
    look: PLAN_13B,
    shows: [/12\.5 Gb\/s per accelerator between nodes \(given\)/],
  },
  {
    at: '1a trap 2',
    was: 'the network of a DGX is assumed in silence',
    look: 'npx ironlaw plan own/train13-any.yaml',
    shows: [/NVLink 3 inside, 200 Gb\/s per accelerator between nodes \(assumed from the NVIDIA DGX A100/],
  },
  {
    at: '1a trap 2',
    was: 'there is no --link',
    look: `${PLAN_13B} --link "100 Gb/s"`,
    shows: [/100 Gb\/s per accelerator between nodes \(given\)/],
  },
  {
    at: '1a trap 2',
    was: 'no guide mentions link, perNode or price',
    look: () => guide('planning-a-training-run'),
    shows: [/\blink\b/, /\bperNode\b/, /\bprice\b/],
  },
]

const QUESTIONS: readonly Stumble[] = [
  {
    at: '1a what-if',
    was: 'accelerators cannot be swept',
    look: 'npx ironlaw whatif own/pinned.yaml --set fleet.accelerator=h100-sxm,h200-sxm',
    shows: [/h100-sxm +\d/, /h200-sxm +\d/],
  },
  {
    at: '1a what-if',
    was: 'precision cannot be swept',
    look: 'npx ironlaw whatif own/pinned.yaml --set precision=bf16-mixed,fp8',
    shows: [/bf16-mixed +\d/, /fp8 +\d/],
  },
  {
    at: '1a what-if',
    was: 'recomputation cannot be swept',
    look: 'npx ironlaw whatif own/pinned.yaml --set strategy.recompute=none,full',
    shows: [/none +\d/, /full +\d/],
  },
  {
    at: '1a what-if',
    was: 'a sweep of links samples speeds that nobody sells',
    look: 'npx ironlaw whatif own/pinned.yaml --set "fleet.link=100 Gb/s per node,400 Gb/s per node"',
    shows: [/100 Gb\/s per node +\d/, /400 Gb\/s per node +\d/],
  },
  {
    at: '1a failures',
    was: 'a plan without the block "with failures" does not say why',
    look: PLAN_13B,
    shows: [/failures: .*ironlaw simulate run/],
  },
  { at: '1a failures', was: '"1 interruptions", "1 spare nodes"', look: SIMULATED, lacks: [/\b1 (?:interruptions|spare nodes)/] },
  {
    at: '1a failures',
    was: 'it takes one spare, and its own table marks none as best, without a word',
    look: simulatedSpares,
    shows: [/^the same$/],
  },
  {
    at: '1a compare',
    was: 'specs cannot be compared',
    look: DIFF,
    shows: [/plan-\w+ to plan-\w+: step/],
  },
  {
    at: '1a compare',
    was: 'a difference in the link alone is not listed',
    look: DIFF,
    shows: [/fleet\.link +12\.5 Gb\/s per accelerator \(given\) +100 Gb\/s/],
  },
  {
    at: '1a compare',
    was: 'memory, cost, MFU and the whole run are not compared',
    look: DIFF,
    shows: [/^whole run /m, /^MFU /m, /^memory per device /m, /^cost /m],
  },
  {
    at: '1a compare',
    was: 'a comparison of what is no plan asks for permissions',
    look: 'npx ironlaw plan diff own/dense13b/config.json own/train13.yaml',
    exit: 1,
    lacks: [/permissions/],
  },
  {
    at: '1a',
    was: 'a config.json in place of a spec gets a list of unknown fields',
    look: 'npx ironlaw plan own/dense13b/config.json',
    exit: 1,
    shows: [/next: .*--model own\/dense13b\/config\.json/],
    lacks: [/unknown field/],
  },
]

const EXPORTS: readonly Stumble[] = [
  { at: '1a exports', was: 'Megatron-LM gets no QK-norm for Qwen3', look: MEGATRON_30B, shows: [/--qk-layernorm/], lacks: [/plain Llama/] },
  {
    at: '1a exports',
    was: 'Megatron-LM gets no rotary base, which is in the config',
    left: 'a plan holds what costs time or memory, and the rotary base costs neither; the head of the file says to pass it',
    look: MEGATRON_30B,
    shows: [/--rotary-base 1000000\b/],
  },
  {
    at: '1a exports',
    was: 'torchtitan gets the flavor "unregistered"',
    look: 'npx ironlaw plan own/train13.yaml --export torchtitan',
    exit: 3,
    shows: [/registers no llama of 40 layers/, /next:/],
    lacks: [/flavor = "unregistered"/],
  },
  {
    at: '1a exports',
    was: 'a file made by ">" loses the remarks',
    look: 'npx ironlaw plan own/train30.yaml --export torchtitan 2> /dev/null',
    shows: [/^# not expressed: /im],
  },
]

async function simulatedSpares(journey: Journey): Promise<string> {
  const output = await journey.printed(SIMULATED)
  const taken = /(\d+) spare nodes?$/m.exec(output)?.[1]
  const counted = /^ *(\d+) .*counted above$/m.exec(output)?.[1]
  return taken !== undefined && taken === counted ? 'the same' : `it takes ${taken}, and the table says ${counted}`
}

export async function mlEngineer(journey: Journey): Promise<void> {
  for (const directory of ['dense13b', 'moe30b']) mkdirSync(join(journey.shell.folder, 'own', directory), { recursive: true })
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(journey.shell.folder, name), text)
  await journey.meets(...FIRST_MINUTE, ...SIZES, ...NETWORK, ...QUESTIONS, ...EXPORTS)
}
