// A real control plane with versions of a model, put there by the command line: two that can be compared, one that nothing is known of, many
// old ones, decisions about them, and a deployment that names one.

import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { startAddingEngine } from './adding-engine.ts'
import { sparePort } from './control-plane.ts'

const CLI = join(import.meta.dirname, '../../packages/apps/cli/src/main.ts')
const FIXTURES = join(import.meta.dirname, '../fixtures')
const execute = promisify(execFile)

export type RegistryPlane = ControlPlane & {
  /** By name: whole ids of versions. */
  readonly versions: Readonly<Record<'first' | 'second' | 'bare', string>>
  /** Two that can be compared, with their texts, and one that cannot. */
  readonly evaluations: Readonly<Record<'steady' | 'careless' | 'other', string>>
}

/** Too slow; too few items for so small a margin; larger than allowed, which somebody accepts. */
const STRICT = {
  'models/candidate': 'chat-2',
  'ms: 500': 'ms: 1',
  'not_worse_by: 0.05': 'not_worse_by: 0.005',
  'at_most: 4 GB': 'at_most: 1 GB',
  '  - card: {}': "  - card: {}\nwaivers:\n  - { gate: memory, why: the new nodes have more, by: ana, until: '2999-12-31' }",
}

function expectRefused(code: unknown): void {
  if (code !== 3) throw new Error(`release check ended with ${String(code)}`)
}

/** More than a page of the console has. */
const OLD_VERSIONS = 60

export async function startPlaneWithModels(): Promise<RegistryPlane> {
  const plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-models-'))
  const env = { ...process.env, IRONLAW_API: plane.api, IRONLAW_TOKEN: plane.token }
  const run = async (...argv: readonly string[]): Promise<string> =>
    (await execute(process.execPath, [CLI, ...argv], { env, cwd: folder, encoding: 'utf8' })).stdout
  const add = async (path: string, ...flags: readonly string[]): Promise<string> => {
    const { id }: { readonly id: string } = JSON.parse(await run('artifact', 'add', path, ...flags, '--json'))
    return id
  }
  /** What is refused is a record too. */
  const checkGates = async (name: string, changes: Readonly<Record<string, string>>): Promise<string> => {
    const spec = Object.entries(changes).reduce(
      (text, [from, to]) => text.replace(from, to),
      readFileSync(join(folder, 'release.yaml'), 'utf8'),
    )
    writeFileSync(join(folder, `${name}.yaml`), spec)
    await run('release', 'check', `${name}.yaml`, '--to', name).catch(({ code }: { readonly code?: unknown }) => expectRefused(code))
    return add(name, '--type', 'evaluation', '--name', name)
  }
  await addOldVersions(plane, folder)
  cpSync(FIXTURES, folder, { recursive: true })
  await add('documents', '--type', 'dataset', '--name', 'corpus')
  const maker = await createRun(plane)
  const version = (name: string): Promise<string> =>
    add(
      writeVersion(folder, name),
      '--type',
      'model',
      '--name',
      'chat',
      '--run',
      maker,
      '--fact',
      'languages=en,de',
      '--fact',
      'code=4f1c2ab',
    )
  const first = await version('chat-1')
  const evaluated = await add('evaluations/before', '--type', 'evaluation', '--name', 'chat-sums', '--fact', `model=${first}`)
  const second = await version('chat-2')
  await add('evaluations/after', '--type', 'evaluation', '--name', 'candidate-sums', '--fact', `model=${second}`)
  const [passed, refused] = [await checkGates('chat-gates', { 'models/candidate': 'chat-1' }), await checkGates('strict-gates', STRICT)]
  const why = 'Not worse by more than 5 points.'
  await run('decide', first, 'release', '--why', why, '--evidence', evaluated, '--evidence', passed, '--figure', 'accuracy=0.868')
  const warmer = await add('evaluations/warmer', '--type', 'evaluation', '--name', 'warmer-sums', '--fact', `model=${second}`)
  await run('decide', second, 'refuse', '--why', 'Loses in two digits.', '--otherwise', 'a drop below 2 points', '--evidence', refused)
  const bare = await add('scores.jsonl', '--type', 'model', '--name', 'a-model-of-unknown-origin-with-a-name-as-long-as-names-may-be-h')
  const claims = await addClaims(folder, add)
  await run('decide', bare, 'refuse', '--why', 'Nobody knows where it is from.', ...claims.flatMap((id) => ['--evidence', id]))
  const engine = await startAddingEngine({ steady: 11, careless: 7 })
  const evaluate = async (model: string, of: string): Promise<string> => {
    await run('evaluate', 'run', 'evaluate.yaml', '--url', engine.url, '--model', model, '--keep-texts', '--to', model)
    return add(model, '--type', 'evaluation', '--name', model, '--fact', `model=${of}`)
  }
  const evaluations = { steady: await evaluate('steady', first), careless: await evaluate('careless', second), other: warmer }
  await engine.close()
  await deploy(plane, first)
  rmSync(folder, { recursive: true })
  return { ...plane, versions: { first, second, bare }, evaluations }
}

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

/** Anybody may add a release.json: one of markup and absurd numbers in the right shape, one of another shape, and one that is no JSON. */
async function addClaims(folder: string, add: (path: string, ...flags: readonly string[]) => Promise<string>): Promise<readonly string[]> {
  const gate = {
    gate: MARKUP,
    kind: MARKUP,
    state: 'passed',
    why: `${MARKUP}${'x'.repeat(500)}`,
    would_change: MARKUP,
    figures: [{ name: MARKUP, unit: 'difference', value: 1e308, low: -1e308, high: 1e308, at_most: 0 }],
    evidence: [{ path: 'javascript:document.title=1' }, { path: MARKUP, sha256: '0'.repeat(64) }],
  }
  const record = {
    apiVersion: 'ironlaw/v1',
    kind: 'ReleaseCheck',
    name: MARKUP,
    version: MARKUP,
    checked_at: 1e11,
    answer: 'release',
    risk: { false_block: 0.05, miss: 0.05 },
    spec: { path: 'release.yaml' },
    gates: [gate, gate],
  }
  const ids: string[] = []
  for (const [index, text] of [JSON.stringify(record), JSON.stringify({ ...record, gates: { MARKUP } }), MARKUP].entries()) {
    mkdirSync(join(folder, `claim-${index}`))
    writeFileSync(join(folder, `claim-${index}`, 'release.json'), text)
    ids.push(await add(`claim-${index}`, '--type', 'evaluation', '--name', `claim-${index}`))
  }
  return ids
}

/** What `ironlaw export` writes, of another name and so another content. */
function writeVersion(folder: string, name: string): string {
  const record = readFileSync(join(folder, 'models/candidate/model-version.json'), 'utf8')
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'model-version.json'), record.replace('"chat-candidate"', JSON.stringify(name)))
  writeFileSync(join(folder, name, 'model-q8_0.gguf'), name)
  return name
}

const askOf =
  ({ api, token }: ControlPlane) =>
  async <Answer>(path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${api}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Answer
  }

async function addOldVersions(plane: ControlPlane, folder: string): Promise<void> {
  const ask = askOf(plane)
  const { url } = await ask<{ readonly url: string }>('/v1/artifact-storage')
  const artifacts = await openArtifacts(openStorage(url))
  const directory = join(folder, 'old')
  mkdirSync(directory)
  writeFileSync(join(directory, 'weights.bin'), 'old weights')
  for (let version = 0; version < OLD_VERSIONS; version += 1) {
    const manifest = await addFiles(artifacts, { directory, type: 'model', facts: { code: `${version}`, data: 'corpus@1' } })
    await ask('/v1/projects/default/artifacts', { manifest, name: 'nightly' })
  }
}

async function createRun(plane: ControlPlane): Promise<string> {
  const { id } = await askOf(plane)<{ readonly id: string }>('/v1/runs', {
    name: 'chat',
    plan: sampleTrainingPlan({ prediction: { duration_s: 100, cost_usd: 800 } }),
    program: { argv: ['steps.py'], directory: import.meta.dirname },
    shape: { nodes: 1, processesPerNode: 2 },
    uses: ['corpus'],
  })
  return id
}

/** More slots than there are, so that it waits and no process starts. */
const deploy = (plane: ControlPlane, version: string): Promise<unknown> =>
  askOf(plane)('/v1/deployments', {
    name: 'assistant',
    spec: { replicas: 1 },
    revision: { model: 'chat', argv: ['engine'], directory: '/srv', version, processes: 64 },
  })
