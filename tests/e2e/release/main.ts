// `npm run e2e:release`: a small model is trained, exported and evaluated; versions with a planted fault are refused, each by its gate; a good one is
// released and deployed through a canary, what was not released is not served, and the way back is timed.

import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MODEL_VERSION_DIGEST, VERSION_PLACE } from '@ironlaw/contracts/model-version'
import type { DeploymentProfile } from '@ironlaw/contracts/profile-api'
import type { Drill } from '@ironlaw/contracts/way-back-drill'
import { ClientLoad } from '../serving/client-load.ts'
import { KEY, type LocalBed, startLocalBed } from '../serving/local-bed.ts'
import { writeServeSpec } from './serve-spec.ts'
import {
  CONFIGURATION,
  engineArguments,
  evaluateVersion,
  exportVersion,
  forgetEnvironment,
  type ReleasePlan,
  trainModels,
  writeKeys,
  writeRelease,
  writeSpecs,
} from './versions.ts'

const ORIGIN = { code: '4f1c2ab', data: 'corpus@1', environment: 'python 3.11, torch 1.13' }
const WITHIN_S = 150
/** Of the way back to a revision whose replicas are still there, and to one that starts from the registry. */
const BACK_S = 60
const REGISTRY_BACK_S = 900

type Fault = { readonly name: string; readonly change: Partial<ReleasePlan>; readonly gate: string }

const FAULTS: readonly Fault[] = [
  { name: 'quantised too far', change: { weights: 'q4_0' }, gate: 'quantization' },
  { name: 'with a template that it was not trained on', change: { evaluation: 'chat' }, gate: 'evaluation' },
  { name: 'contaminated', change: { data: 'leaked.jsonl' }, gate: 'contamination' },
  { name: 'unfair to one group', change: { model: 'unfair', evaluation: 'unfair', predictions: 'unfair' }, gate: 'groups' },
  { name: 'unsigned', change: { model: 'unsigned' }, gate: 'signature' },
  { name: 'incomplete', change: { model: 'incomplete' }, gate: 'complete' },
]

/** Its files are where nothing is at first: the engine restores them from the registry. */
const revision = ({ directory }: LocalBed, name: string) => ({
  model: name,
  argv: [process.execPath, ...engineArguments(join(directory, 'served', VERSION_PLACE)), '--id', 'letters'],
  directory,
  environment: {},
  processes: 1,
  max_running: 4,
  version: name,
})

const failures: string[] = []
const startedAt = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)
const fail = (text: string): void => {
  failures.push(text)
  say(`FAILED: ${text}`)
}

if (spawnSync('/usr/bin/python3', ['-c', 'import torch, numpy']).status !== 0) {
  console.log('e2e:release is skipped: PyTorch is not installed for /usr/bin/python3')
  process.exit(0)
}

const bed = await startLocalBed()
let isStopping = false
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  for (const { name } of await deployments()) await bed.plane.ask(`/v1/deployments/${name}`, 'DELETE').catch(String)
  for (const { id } of await deployments()) await bed.plane.until(id, ({ state }) => state === 'removed', WITHIN_S).catch(String)
  await bed.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().finally(() => process.exit(1)))
try {
  await makeVersions(bed)
  await refuseEachFault(bed)
  await releaseGood(bed)
  await deployThroughCanary(bed)
} catch (cause) {
  fail(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
} finally {
  await stop()
}
say(failures.length === 0 ? 'all well' : `${failures.length} failures`)
process.exit(failures.length === 0 ? 0 : 1)

async function deployments(): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { items } = await bed.plane.ask<{ items: { id: string; name: string }[] }>('/v1/deployments')
  return items
}

async function makeVersions({ directory, command }: LocalBed): Promise<void> {
  await trainModels(directory)
  say('trained: the model that serves, a candidate, and one that is unfair to the south')
  for (const name of ['before', 'candidate', 'unfair']) await exportVersion(command, name, ORIGIN)
  writeKeys(directory)
  for (const name of ['unsigned', 'incomplete'])
    cpSync(join(directory, 'models/candidate'), join(directory, 'models', name), { recursive: true })
  forgetEnvironment(directory, 'incomplete')
  say('exported, with the measured difference of each kind of weights')
  for (const name of ['before', 'candidate', 'unfair', 'incomplete']) await command('sign', `models/${name}`, '--key', 'key.pem')
  writeSpecs(directory)
  for (const name of ['before', 'candidate', 'unfair']) await evaluateVersion(command, directory, name)
  say('signed and evaluated')
}

type Checked = {
  readonly answer: string
  readonly gates: readonly { readonly gate: string; readonly state: string; readonly why: string }[]
}

/** What the command prints, whatever its status. */
async function check({ directory, command }: LocalBed, change: Partial<ReleasePlan>): Promise<Checked | { readonly refused: string }> {
  writeRelease(directory, 'release.json', change)
  const printed = await command('release', 'check', 'release.json', '--json').catch(
    (cause: unknown) => cause as { readonly stdout: string; readonly stderr: string },
  )
  if (typeof printed === 'string') return JSON.parse(printed) as Checked
  return printed.stdout.startsWith('{')
    ? (JSON.parse(printed.stdout) as Checked)
    : { refused: /"message":"([^"]*)"/.exec(printed.stderr)?.[1] ?? printed.stderr }
}

async function refuseEachFault(own: LocalBed): Promise<void> {
  for (const { name, change, gate } of FAULTS) {
    const checked = await check(own, change)
    if ('refused' in checked) {
      // Another instrument is no evidence at all, so the check ends there.
      if (gate === 'evaluation' && /different instruments: template/.test(checked.refused))
        say(`a version ${name}: refused by evaluation: ${checked.refused}`)
      else fail(`a version ${name}: ${checked.refused}`)
      continue
    }
    const found = checked.gates.find((each) => each.gate === gate)
    if (checked.answer === 'refuse' && found?.state === 'refused') say(`a version that is ${name}: refused by ${gate}: ${found.why}`)
    else fail(`a version that is ${name}: ${checked.answer}, ${gate} ${found?.state}: ${found?.why}`)
  }
}

async function releaseGood(own: LocalBed): Promise<void> {
  const checked = await check(own, {})
  if ('refused' in checked || checked.answer !== 'release') throw new Error(`the good version is not released: ${JSON.stringify(checked)}`)
  say(`the candidate passes all ${checked.gates.length} gates`)
  for (const name of ['before', 'candidate', 'unfair'])
    await own.command('artifact', 'add', `models/${name}`, '--type', 'model', '--name', name, '--fact', `configuration=${CONFIGURATION}`)
  const { id } = await own.plane.ask<{ id: string }>('/v1/projects/default/models/candidate')
  const added = ['--type', 'evaluation', '--name', 'quality', '--fact', `model=${id}`]
  await own.command('artifact', 'add', 'evaluations/candidate', ...added)
  await own.command('decide', 'before', 'release', '--why', 'it serves')
  const decision = ['--rule', 'release.json', '--evidence', 'quality', '--why', 'all gates passed']
  say((await own.command('decide', 'candidate', 'release', ...decision)).trim())
}

async function deployThroughCanary(own: LocalBed): Promise<void> {
  const { plane, gateway, command } = own
  const of = (name: string) => ({ ...revision(own, name), model: 'letters' })
  const spec = {
    replicas: 1,
    release: 'required',
    rollout: { shares: [0.5], keep_previous_s: 300, margins: { ttft: 1, tpot: 1, errors: 0.1 } },
    limits: { start_s: 120, drain_s: 2 },
  }
  await plane.ask('/v1/deployments', 'POST', { name: 'letters', spec, revision: of('before') })
  await plane.until('letters', ({ serving }) => serving === 1, WITHIN_S)
  say('the version before serves')
  await refuseUnreleased(own, of('unfair'))
  const load = new ClientLoad({ url: gateway.url, key: KEY, workers: 3, model: 'letters' })
  const at = Date.now()
  await plane.revise('letters', of('candidate'))
  const { rollout } = await plane.until('letters', (seen) => ['promoted', 'rolled-back'].includes(seen.rollout?.state ?? ''), WITHIN_S)
  say(`the candidate as a canary: ${rollout?.state} after ${((Date.now() - at) / 1000).toFixed(1)} s (${rollout?.why})`)
  if (rollout?.state !== 'promoted') fail(`the released version was ${rollout?.state}`)
  await plane.until('letters', ({ previous }) => (previous?.warm ?? 0) > 0, WITHIN_S)
  const ordered = Date.now()
  await command('rollout', 'back', 'letters', '--to', 'before')
  await plane.until(
    'letters',
    ({ stable, replicas }) => stable === 1 && replicas.some((each) => each.revision === 1 && each.state === 'serving'),
    WITHIN_S,
  )
  const took_s = (Date.now() - ordered) / 1000
  say(`the way back by name, "rollout back letters --to before", took ${took_s.toFixed(1)} s`)
  if (took_s > BACK_S) fail(`the way back took ${took_s} s, more than ${BACK_S}`)
  await drillFromRegistry(own)
  await load.stop()
  const { answered, cut, lost } = load.takeCounts()
  say(`meanwhile ${answered} answered, ${cut} cut, ${lost} lost`)
  if (lost > 0 || answered === 0) fail(`${lost} requests were lost, ${answered} answered`)
  await freezeBaseline(own, answered)
  const joined = (await command('get', 'releases')).split('\n').find((line) => line.includes('that the suite released'))
  if (joined === undefined) fail('"get releases" does not say how often the suite predicted production')
  else say(joined)
}

/** With everything that was restored gone: weights come from the storage of artifacts, every byte verified. */
async function drillFromRegistry({ command, directory }: LocalBed): Promise<void> {
  rmSync(join(directory, 'served'), { recursive: true })
  const { back_s = Infinity, forth_s = Infinity }: Drill = JSON.parse(
    await command('drill', 'rollback', 'letters', '--tier', 'registry', '-y', '--json'),
  )
  say(`drilled from the registry, nothing left where engines look for weights: ${back_s.toFixed(1)} s back, ${forth_s.toFixed(1)} s forth`)
  const restored = readdirSync(join(directory, 'served')).length
  if (restored !== 1) fail(`${restored} versions were restored, not the one that engines started with`)
  if (back_s > REGISTRY_BACK_S) fail(`the way back from the registry took ${back_s} s, more than ${REGISTRY_BACK_S}`)
}

/** What the gateway counted of the version that serves, kept as what its later traffic is compared with. */
async function freezeBaseline({ command, plane }: LocalBed, answered: number): Promise<void> {
  const { profile } = await plane.ask<DeploymentProfile>('/v1/deployments/letters/profile')
  if (profile === undefined || profile.rows < 0.9 * answered)
    fail(`of ${answered} answers ${profile?.rows ?? 0} were counted in the profile`)
  const [head = ''] = (await command('profile', '--of', 'letters', '--revision', '1', '--freeze', 'letters-baseline')).split('\n')
  say(head)
  const described = await command('describe', 'model/before')
  if (!described.includes('baseline letters-baseline')) fail(`the version does not show its baseline:\n${described}`)
}

/** By the API, by a file, by the engine itself. */
async function refuseUnreleased(own: LocalBed, unreleased: ReturnType<typeof revision>): Promise<void> {
  const { plane, command, directory } = own
  const { version, ...bare } = unreleased
  const expectedState = new RegExp(`${version} is candidate`)
  const byApi = await plane.revise('letters', unreleased).then(() => undefined, String)
  expectRefusal('by API', byApi, expectedState)
  const argv = [process.execPath, ...engineArguments(join(directory, 'models/unfair'))]
  const unnamed = await plane.revise('letters', { ...bare, argv }).then(() => undefined, String)
  expectRefusal('by API, without a version', unnamed, /released versions only/)
  writeServeSpec(directory, unreleased)
  const fleet = join(import.meta.dirname, '../../../examples/reference-trainer/fleet.yaml')
  const byFile = await command('apply', 'serve.json', '--with', fleet, '-y').then(() => undefined, String)
  expectRefusal('by file', byFile, expectedState)
  for (const [how, name, environment, flags, expected] of [
    ['by engine, unsigned', 'unsigned', {}, ['--require-signature', 'key.pub.pem'], /sign/i],
    ['by engine, another version than the revision names', 'unfair', { [MODEL_VERSION_DIGEST]: '0'.repeat(64) }, [], /version/],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [...engineArguments(join('models', name)), ...flags], {
      cwd: directory,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      timeout: 60_000,
    })
    expectRefusal(how, status === 0 ? undefined : stderr, expected)
  }
}

function expectRefusal(how: string, refusal: string | undefined, expected: RegExp): void {
  const line = refusal?.split('\n').find((each) => expected.test(each))
  if (line === undefined) fail(`an unreleased version was not refused ${how}: ${refusal ?? 'it was accepted'}`)
  else say(`refused ${how}: ${line.trim().slice(0, 200)}`)
}
