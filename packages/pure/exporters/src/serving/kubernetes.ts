// Kubernetes manifests of a serving plan: a Deployment where a replica fits on one node, a LeaderWorkerSet where it spans several, and a
// Service before each pool. Written as text line by line: the manifests hold no value that needs quoting beyond what is quoted here.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { commentLines, type ExportedPlan, caveatLines, warningIf } from '../exported.ts'
import { type EngineFlags, sglangFlags, vllmFlags, flagWords } from './engine-flags.ts'
import { hostFlags, hostsOf, type HostPlaces } from './hosts.ts'
import { servingHead } from './serving-head.ts'

const IMAGES: Readonly<Record<string, string>> = { vllm: 'vllm/vllm-openai:v0.19.0', sglang: 'lmsysorg/sglang:v0.5.9' }
const PORT = 8000

export function kubernetes(plan: ServingPlan): ExportedPlan {
  const named = { ...plan, name: withoutReferences(plan.name), model: { ...plan.model, name: withoutReferences(plan.model.name) } }
  const parts = plan.pools.map((pool) => ({ pool, made: plan.engine === 'sglang' ? sglangFlags(named, pool) : vllmFlags(named, pool) }))
  const documents = parts.flatMap(({ pool, made }) => [
    pool.devicesPerReplica > plan.devicesPerNode ? leaderWorkerSet(plan, pool, made) : deployment(plan, pool, made),
    service(plan, pool),
  ])
  const warnings = [...new Set(parts.flatMap(({ made }) => [...made.requires, ...made.warnings]))]
  const impossible = [
    ...new Set(parts.flatMap(({ made }) => made.impossible)),
    ...warningIf(
      plan.engine === 'tensorrt-llm' || plan.engine === 'llamacpp',
      `no manifest is made for ${plan.engine === 'llamacpp' ? 'llama.cpp' : 'TensorRT-LLM'}: plan for vllm or sglang`,
    ),
  ]
  const head = commentLines([...servingHead(plan), ...caveatLines({ warnings, impossible })])
  return { text: [...head, documents.map((lines) => lines.join('\n')).join('\n---\n')].join('\n') + '\n', warnings, impossible }
}

/** Kubernetes replaces $(NAME) in commands and arguments; doubled, the sign stands for itself. */
const withoutReferences = (text: string): string => text.replaceAll('$(', () => '$$(')

/** What YAML reads as a truth value or as nothing. */
const NO_STRING = /^(?:true|false|yes|no|on|off|y|n|null)$/

/** A name as Kubernetes allows it for a Service: begins with a letter, ends with a letter or a digit, at most 63. */
function nameOf({ name }: ServingPlan, { role }: ServingPool): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 40)
    .replaceAll(/-+$/g, '')
  const valid = /^[a-z]/.test(plain) && !NO_STRING.test(plain) ? plain : ['plan', plain].filter(Boolean).join('-')
  return `${valid}${role === 'all' ? '' : `-${role}`}`
}

const labels = (plan: ServingPlan, pool: ServingPool): string => `{ app: ${nameOf(plan, pool)}, role: leader, ironlaw-plan: ${plan.id} }`

type Pod = { readonly devices: number; readonly indent: string; readonly answers: boolean }

/** A pod that only computes has no server to ask. */
const probe = (answers: boolean): readonly string[] =>
  answers
    ? ['    readinessProbe:', `      httpGet: { path: /health, port: ${PORT} }`, '      periodSeconds: 5', '      failureThreshold: 240']
    : []

function container(plan: ServingPlan, { program, place, flags }: EngineFlags, { devices, indent, answers }: Pod): string[] {
  return [
    'containers:',
    '  - name: engine',
    `    image: ${IMAGES[plan.engine] ?? IMAGES['vllm'] ?? ''}`,
    `    command: [${program.map((word) => JSON.stringify(word)).join(', ')}]`,
    '    args:',
    ...[...[...place, ...flags].flatMap((flag) => flagWords(flag)), '--port', String(PORT)].map(
      (word) => `      - ${JSON.stringify(word)}`,
    ),
    '    ports:',
    `      - { containerPort: ${PORT}, name: http }`,
    ...probe(answers),
    '    resources:',
    `      limits: { nvidia.com/gpu: ${devices} }`,
    '    volumeMounts:',
    '      - { name: shm, mountPath: /dev/shm }',
    'volumes:',
    '  - { name: shm, emptyDir: { medium: Memory, sizeLimit: 16Gi } }',
  ].map((line) => indent + line)
}

function deployment(plan: ServingPlan, pool: ServingPool, made: EngineFlags): readonly string[] {
  return [
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata:',
    `  name: ${nameOf(plan, pool)}`,
    `  labels: ${labels(plan, pool)}`,
    'spec:',
    `  replicas: ${pool.replicas}`,
    `  selector: { matchLabels: { app: ${nameOf(plan, pool)}, role: leader } }`,
    '  template:',
    `    metadata: { labels: ${labels(plan, pool)} }`,
    '    spec:',
    ...container(plan, made, { devices: pool.devicesPerReplica, indent: '      ', answers: true }),
  ]
}

/**
 * One group of pods per replica (leaderworkerset.x-k8s.io/v1, from 0.6 on, which sets LWS_WORKER_INDEX). Only the leader answers requests:
 * vLLM's others run without a server.
 */
function leaderWorkerSet(plan: ServingPlan, pool: ServingPool, made: EngineFlags): readonly string[] {
  const size = hostsOf(plan, pool)
  const { first, other } = hostFlags(plan.engine === 'sglang' ? 'sglang' : 'vllm', POD_PLACES, { plan, pool })
  const started = (flags: readonly string[]): EngineFlags => withArithmetic({ ...made, flags: [...made.flags, ...flags] })
  const pod = { devices: plan.devicesPerNode, indent: '        ' }
  return [
    'apiVersion: leaderworkerset.x-k8s.io/v1',
    'kind: LeaderWorkerSet',
    'metadata:',
    `  name: ${nameOf(plan, pool)}`,
    `  labels: ${labels(plan, pool)}`,
    'spec:',
    `  replicas: ${pool.replicas}`,
    '  leaderWorkerTemplate:',
    `    size: ${size}`,
    '    restartPolicy: RecreateGroupOnPodRestart',
    '    leaderTemplate:',
    `      metadata: { labels: ${labels(plan, pool)} }`,
    '      spec:',
    ...container(plan, started(first), { ...pod, answers: true }),
    '    workerTemplate:',
    `      metadata: { labels: ${labels(plan, pool).replace('role: leader', 'role: worker')} }`,
    '      spec:',
    ...container(plan, started(other), { ...pod, answers: false }),
  ]
}

const POD_PLACES: HostPlaces = {
  leader: '$(LWS_LEADER_ADDRESS)',
  rank: '$(LWS_WORKER_INDEX)',
  // The doubled sign stands for itself: a shell multiplies, Kubernetes does not.
  product: (factor) => `$$((LWS_WORKER_INDEX * ${factor}))`,
}

/** Flags that a shell has to work out go behind the others through one. */
function withArithmetic(made: EngineFlags): EngineFlags {
  const worked = made.flags.filter((flag) => flag.includes('$$(('))
  if (worked.length === 0) return made
  return {
    ...made,
    program: ['/bin/sh', '-c', ['exec "$0" "$@"', ...worked].join(' '), ...made.program],
    flags: made.flags.filter((flag) => !worked.includes(flag)),
  }
}

const service = (plan: ServingPlan, pool: ServingPool): readonly string[] => [
  'apiVersion: v1',
  'kind: Service',
  'metadata:',
  `  name: ${nameOf(plan, pool)}`,
  'spec:',
  `  selector: { app: ${nameOf(plan, pool)}, role: leader }`,
  `  ports: [{ name: http, port: 80, targetPort: ${PORT} }]`,
]
