// `npm run e2e:serving`: a model deployed through the API on a real Slurm cluster and asked by the official client all the while. Bad
// revisions are rolled back by themselves, a good one takes over, a node dies, the database and the control plane are away.

import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { compareScaling } from './autoscale.ts'
import { ClientLoad } from './client-load.ts'
import { KEY, PROMPT, type ServingBed, startServingBed } from './serving-bed.ts'

const OUTAGE_S = Number(process.env['E2E_OUTAGE_S'] ?? 60)
const ENGINE = process.env['E2E_ENGINE'] === 'simulated' ? 'simulated' : 'llamacpp'
const WORKERS = 6
const REPLICAS = 3
const WITHIN_S = 240
const SYNC_MS = 5000
const REGRESSIONS = ['misnamed', 'refusing', 'failing', 'hanging', 'empty', 'tokenizer', 'wrong', 'slow']
/** Of the way back to a revision whose replicas are gone. */
const BACK_S = 60

const failures: string[] = []
const startedAt = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)

if (process.argv[2] === 'autoscale') {
  await compareScaling(say, process.argv[3])
  process.exit(0)
}

const bed = await startServingBed(ENGINE)
try {
  say(`Slurm, PostgreSQL, a control plane and a gateway are up; engines are ${ENGINE}`)
  await testDeploy(bed)
  const load = new ClientLoad({ url: bed.gatewayUrl, key: KEY, workers: WORKERS })
  await waitUntilSettled(load)
  for (const regression of REGRESSIONS) await testRollback(bed, load, regression)
  await testPromotion(bed, load)
  await testReturn(bed, load)
  await testNodeDeath(bed, load)
  await testOutage(bed, load)
  await load.stop()
  for (const problem of load.problems) console.log(`            clients saw: ${problem}`)
  await testRemoval(bed)
  await testShadow(bed)
} catch (cause) {
  failures.push(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
  console.log(bed.plane.output.split('\n').slice(-10).join('\n'))
  console.log(bed.gatewayOutput().slice(-2000))
} finally {
  await bed.stop()
}
for (const failure of failures) console.log(`FAILED: ${failure}`)
say(failures.length === 0 ? 'all well' : `${failures.length} failures`)
process.exit(failures.length === 0 ? 0 : 1)

async function testDeploy({ api, revision, known }: ServingBed): Promise<void> {
  const spec = {
    replicas: REPLICAS,
    probes: [{ prompt: PROMPT, expect: known, max_tokens: 8 }],
    rollout: { shares: [0.25], keep_previous_s: 5, margins: { ttft: 0.5, tpot: 0.5, errors: 0.05, quality: 0.2 } },
    limits: { start_s: 120, silence_s: 6, drain_s: 20 },
  }
  const at = Date.now()
  await api.ask('/v1/deployments', 'POST', { name: 'chat', spec, revision: revision({}) })
  await api.until('chat', ({ serving }) => serving === REPLICAS, WITHIN_S)
  say(`${REPLICAS} replicas serve ${((Date.now() - at) / 1000).toFixed(1)} s after the request`)
}

/** The gateway has the replicas; what was asked before does not count. */
async function waitUntilSettled(load: ClientLoad): Promise<void> {
  while (load.counts.answered < 100) await pause(100)
  load.takeCounts()
  load.problems.clear()
}

function checkCounts(load: ClientLoad, what: string): void {
  const { answered, cut, lost } = load.takeCounts()
  say(`${what}: ${answered} answered, ${cut} cut, ${lost} lost without a byte`)
  if (lost > 0) failures.push(`${what}: ${lost} requests were lost without a byte`)
  if (answered === 0) failures.push(`${what}: nothing was answered`)
}

async function testRollback({ api, revision }: ServingBed, load: ClientLoad, regression: string): Promise<void> {
  const { newest } = await api.revise('chat', revision({ REGRESSION: regression }))
  const { rollout, stable } = await api.until('chat', (seen) => ['promoted', 'rolled-back'].includes(seen.rollout?.state ?? ''), WITHIN_S)
  const events = await api.events('chat')
  const served = events.find(({ kind, body }) => kind === 'replica-serving' && body['revision'] === newest)?.at ?? Number.NaN
  const back = events.find(({ kind, body }) => kind === 'rollout-rolled-back' && body['revision'] === newest)?.at ?? Number.NaN
  const asked = events.find(({ kind, body }) => kind === 'replica-created' && body['revision'] === newest)?.at ?? Number.NaN
  const after = Number.isNaN(served)
    ? `${(back - asked).toFixed(1)} s after its start, without a request`
    : `${(back - served).toFixed(1)} s after its first request`
  say(`a canary that is ${regression}: ${rollout?.state} ${after} (${rollout?.why})`)
  if (rollout?.state !== 'rolled-back') failures.push(`a canary that is ${regression} was ${rollout?.state}`)
  await api.until('chat', ({ replicas }) => replicas.every((replica) => replica.revision === stable), WITHIN_S)
  checkCounts(load, `  with it and after it`)
}

async function testPromotion({ api, revision }: ServingBed, load: ClientLoad): Promise<void> {
  const at = Date.now()
  const { newest } = await api.revise('chat', revision({ GOOD: '1' }))
  const { rollout } = await api.until('chat', (seen) => ['promoted', 'rolled-back'].includes(seen.rollout?.state ?? ''), WITHIN_S)
  say(`a good revision: ${rollout?.state} after ${((Date.now() - at) / 1000).toFixed(1)} s (${rollout?.why})`)
  if (rollout?.state !== 'promoted') failures.push(`a good revision was ${rollout?.state}: ${rollout?.why}`)
  const isOver = rollout?.state === 'promoted'
  if (isOver)
    await api.until('chat', ({ replicas }) => replicas.length === REPLICAS && replicas.every((each) => each.revision === newest), WITHIN_S)
  say(`all replicas are of it after ${((Date.now() - at) / 1000).toFixed(1)} s`)
  checkCounts(load, '  meanwhile')
}

/** After a promotion, to the revision before it. */
async function testReturn({ api }: ServingBed, load: ClientLoad): Promise<void> {
  const { stable: before } = await api.deployment('chat')
  const at = Date.now()
  await api.order('chat', 'back')
  const isBack = ({ stable, replicas }: Awaited<ReturnType<typeof api.deployment>>): boolean =>
    stable !== before && replicas.filter(({ revision, state }) => revision === stable && state === 'serving').length === REPLICAS
  const { stable } = await api.until('chat', isBack, WITHIN_S)
  const took_s = (Date.now() - at) / 1000
  say(`the way back from revision ${before} to ${stable}: ${took_s.toFixed(1)} s`)
  if (took_s > BACK_S) failures.push(`the way back took ${took_s} s, more than ${BACK_S}`)
  await api.until('chat', ({ replicas }) => replicas.length === REPLICAS && replicas.every((each) => each.revision === stable), WITHIN_S)
  checkCounts(load, '  meanwhile')
}

async function testNodeDeath({ api, testbed }: ServingBed, load: ClientLoad): Promise<void> {
  const { replicas } = await api.deployment('chat')
  const victim = replicas[0]?.id ?? ''
  const jobs = execFileSync('squeue', ['-h', '-o', '%j %N'], { env: { ...process.env, ...testbed.env }, encoding: 'utf8' })
  const node =
    jobs
      .split('\n')
      .find((line) => line.includes(victim))
      ?.split(' ')[1] ?? ''
  const at = Date.now()
  await testbed.killNode(node)
  const isReplaced = (seen: Awaited<ReturnType<typeof api.deployment>>): boolean =>
    seen.serving >= REPLICAS && seen.replicas.every(({ id, state }) => id !== victim || state === 'stopping')
  await api.until('chat', isReplaced, WITHIN_S)
  say(`node ${node} died under load: ${REPLICAS} serve again after ${((Date.now() - at) / 1000).toFixed(1)} s`)
  checkCounts(load, '  meanwhile')
}

async function testOutage({ plane, testbed, api }: ServingBed, load: ClientLoad): Promise<void> {
  // The gateway has heard of what came before.
  await pause(SYNC_MS)
  await testbed.stopService('postgres')
  await pause(1000 * OUTAGE_S)
  await testbed.startService('postgres')
  checkCounts(load, `PostgreSQL was away for ${OUTAGE_S} s`)
  await pause(SYNC_MS)
  await plane.kill()
  await pause(1000 * OUTAGE_S)
  await plane.start()
  checkCounts(load, `the control plane was away for ${OUTAGE_S} s`)
  const { replicas } = await api.until('chat', ({ serving }) => serving === REPLICAS, WITHIN_S)
  say(`${replicas.length} replicas: ${replicas.map(({ id, state }) => `${id} ${state}`).join(', ')}`)
}

/** Wrong answers are found among copies of requests, before a client gets one. */
async function testShadow({ api, revision, gatewayUrl }: ServingBed): Promise<void> {
  const spec = { replicas: 1, rollout: { shadow_s: 5, margins: { ttft: 1, tpot: 1, outputs: 0.2 } }, limits: { start_s: 120, drain_s: 20 } }
  await api.ask('/v1/deployments', 'POST', { name: 'copied', spec, revision: revision({}) })
  await api.until('copied', ({ serving }) => serving === 1, WITHIN_S)
  let wrong = 0
  const onAnswer = (text: string): void => void (wrong += text.includes('????') ? 1 : 0)
  const load = new ClientLoad({ url: gatewayUrl, key: KEY, workers: 2, model: 'copied', onAnswer })
  await waitUntilSettled(load)
  for (const [what, environment, wanted] of [
    ['wrong', { REGRESSION: 'wrong' }, 'rolled-back'],
    ['good', { GOOD: '1' }, 'canary'],
  ] as const) {
    await api.revise('copied', revision(environment))
    const { rollout } = await api.until('copied', (seen) => seen.rollout !== undefined && seen.rollout.state !== 'shadow', WITHIN_S)
    say(`a shadow that is ${what}: ${rollout?.state} (${rollout?.why}); ${wrong} clients got a wrong answer`)
    if (rollout?.state !== wanted || wrong > 0) failures.push(`a shadow that is ${what} was ${rollout?.state}, ${wrong} wrong answers`)
    checkCounts(load, '  meanwhile')
  }
  await load.stop()
}

async function testRemoval({ api, testbed }: ServingBed): Promise<void> {
  const { id } = await api.ask<{ id: string }>('/v1/deployments/chat', 'DELETE')
  await api.until(id, ({ state }) => state === 'removed', WITHIN_S)
  const left = execFileSync('squeue', ['-h', '-t', 'running,pending', '-o', '%j %T'], {
    env: { ...process.env, ...testbed.env },
    encoding: 'utf8',
  })
  if (left.trim() !== '') failures.push(`jobs are left: ${left}`)
  say('removed; no job is left')
}
