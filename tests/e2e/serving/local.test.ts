// Deployed through the API on the processes of this machine, behind a gateway that follows the control plane.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientLoad } from './client-load.ts'
import { KEY, LOCAL_REVISION, type LocalBed, startLocalBed } from './local-bed.ts'

const TIMEOUT_MS = 120_000
/** Seven commands, each a process of its own. */
const COMMANDS_MS = 240_000

let bed: LocalBed

beforeAll(async () => {
  bed = await startLocalBed()
}, TIMEOUT_MS)

afterAll(() => bed.stop(), TIMEOUT_MS)

const ask = (content: string) =>
  new OpenAI({ baseURL: `${bed.gateway.url}/v1`, apiKey: KEY, maxRetries: 0 }).chat.completions.create({
    model: 'chat',
    messages: [{ role: 'user', content }],
    max_tokens: 5,
    stream: true,
  })

async function fetchAnswer(content: string): Promise<string> {
  let text = ''
  for await (const { choices } of await ask(content)) text += choices[0]?.delta.content ?? ''
  return text
}

test('deployed, revised, and removed, while clients see one model', { timeout: TIMEOUT_MS }, async () => {
  const { plane } = bed
  const wanted = { name: 'chat', spec: { replicas: 1, rollout: { keep_previous_s: 0 }, limits: { drain_s: 10 } }, revision: LOCAL_REVISION }
  const { id } = await plane.ask<{ id: string }>('/v1/deployments', 'POST', wanted)
  await expect(plane.ask('/v1/deployments', 'POST', wanted)).rejects.toThrow('409')
  await plane.until('chat', ({ state }) => state === 'serving')
  await expect.poll(() => fetchAnswer('hello').catch(String), { timeout: 20_000 }).not.toMatch(/Error/)

  const before = await fetchAnswer('the same question')
  await plane.revise('chat', { ...LOCAL_REVISION, environment: { REGRESSION: 'wrong' } })
  await plane.until('chat', ({ serving }) => serving === 2)
  await plane.order('chat', 'promote')
  const running = ask('asked before the old one left')
  await plane.until('chat', ({ replicas, stable }) => stable === 2 && replicas.length === 1)
  for await (const _ of await running);
  expect(await fetchAnswer('the same question')).not.toBe(before)

  await plane.ask('/v1/deployments/chat', 'DELETE')
  await plane.until(id, ({ state, replicas }) => state === 'removed' && replicas.length === 0)
})

test('why an engine does not start is said wherever one looks', { timeout: COMMANDS_MS }, async () => {
  const { plane, command } = bed
  const script = 'console.error("cannot read model/weights.gguf: no such file"); setTimeout(() => process.exit(3), 100)'
  const revision = { ...LOCAL_REVISION, argv: [process.execPath, '-e', script] }
  await plane.ask('/v1/deployments', 'POST', { name: 'broken', spec: { replicas: 1 }, revision })
  const reason = 'cannot read model/weights.gguf: no such file'
  await plane.until('broken', ({ why }) => why.includes(reason))
  expect(await command('get', 'broken')).toContain(reason)
  const described = await command('describe', 'broken')
  expect(described).toContain('0 of 1 replicas serve')
  expect(described).toMatch(/REPLICA[^]*gone +.*its job is failed: cannot read model\/weights\.gguf/)
  expect(await command('logs', 'broken', '--replica', '1')).toBe(`${reason}\n`)
  expect(await command('events', 'broken')).toContain('replica-gone')
  await expect(command('logs', 'broken', '--replica', '99')).rejects.toThrow('there is no replica')
  await expect(command('logs', 'nothing')).rejects.toThrow('there is no run or deployment "nothing"')
  await expect(command('remove', 'broken')).rejects.toThrow('-y')
  expect(await command('remove', 'broken', '-y')).toContain('broken is being removed')

  const missing = { ...LOCAL_REVISION, argv: ['/no/such/engine'] }
  await plane.ask('/v1/deployments', 'POST', { name: 'missing', spec: { replicas: 1 }, revision: missing })
  await plane.until('missing', ({ why }) => why.includes('/no/such/engine'))
  await command('remove', 'missing', '-y')
})

test('a key that is added is let in, and those before it stay', { timeout: COMMANDS_MS }, async () => {
  const { command, gateway } = bed
  const key = (await command('key', 'two', '--add')).trim()
  expect(key).toMatch(/^sk-[\w-]{43}$/)
  const statusWith = async (bearer: string): Promise<number> =>
    (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } })).status
  await expect.poll(() => statusWith(key), { timeout: 20_000 }).toBe(200)
  expect(await statusWith(KEY)).toBe(200)
})

test('a spec applied again changes what it says otherwise, and nothing else', { timeout: COMMANDS_MS }, async () => {
  const { plane, directory, command } = bed
  const fleet = join(import.meta.dirname, '../../../examples/reference-trainer/fleet.yaml')
  const model = join(import.meta.dirname, '../../../examples/reference-trainer/tiny.config.json')
  const deploy = { program: LOCAL_REVISION.argv, directory: LOCAL_REVISION.directory, model: 'm', processes: 1, replicas: 1 }
  const write = (over: object): void => {
    const traffic = { requests_per_s: 2, input_tokens: 60, output_tokens: 32 }
    const asked = { traffic, objectives: { ttft: '500 ms', tpot: '50 ms' }, accelerators: ['cpu-core'], precisions: ['bf16'], spare: 0 }
    const spec = { apiVersion: 'ironlaw/v1', kind: 'Serve', name: 'applied', model, ...asked, deploy: { ...deploy, ...over } }
    writeFileSync(join(directory, 'serve.json'), JSON.stringify(spec))
  }
  const apply = (...flags: readonly string[]): Promise<string> => command('apply', 'serve.json', '--with', fleet, ...flags)
  write({})
  expect(await apply('--dry-run')).toContain('would be created with 1 replicas')
  await apply('-y')
  expect(await command('rollout', 'status', 'applied', '--wait')).toContain('revision 1 serves, 1 of 1 replicas')
  const { id } = await plane.deployment('applied')
  expect(await apply('-y')).toContain('already matches the file: nothing to change')
  write({ project: 'other' })
  await expect(apply('-y')).rejects.toThrow('the file changes deploy.project from "default" to "other"')

  write({ replicas: 2, limits: { drain_s: 3 } })
  const shown = await apply('--dry-run')
  expect(shown).toMatch(/FIELD +NOW +NEW/)
  expect(shown).toMatch(/limits\.drain_s +\(default\) +3/)
  expect(shown).toMatch(/replicas +1 +2/)
  expect(shown).not.toContain('revision.')
  expect((await plane.deployment('applied')).wanted).toBe(1)
  await apply('-y')
  await plane.until('applied', ({ serving, newest }) => serving === 2 && newest === 1)

  write({ replicas: 2, limits: { drain_s: 3 }, max_running: 4 })
  const { changes, revision } = JSON.parse(await apply('--dry-run', '--json'))
  // Fewer requests at once make another plan, and change nothing else.
  expect(changes.map(({ path }: { path: string }) => path)).toEqual(['plan', 'revision.max_running'])
  expect({ change: changes[1], revision }).toEqual({ change: { path: 'revision.max_running', now: 64, next: 4 }, revision: 2 })
  await apply('-y')
  await plane.until('applied', ({ rollout }) => rollout?.revision === 2)
  await plane.ask('/v1/deployments/applied', 'DELETE')
  await plane.until(id, ({ state }) => state === 'removed')
})

test('the way back to the revision before takes seconds, and no request fails', { timeout: TIMEOUT_MS }, async () => {
  const { plane, gateway } = bed
  const spec = { replicas: 2, rollout: { keep_previous_s: 120 }, limits: { drain_s: 1 } }
  const { id } = await plane.ask<{ id: string }>('/v1/deployments', 'POST', { name: 'way-back', spec, revision: LOCAL_REVISION })
  await plane.until('way-back', ({ state }) => state === 'serving')
  const answered: { readonly at: number; readonly isNew: boolean }[] = []
  const onAnswer = (text: string): void => void answered.push({ at: performance.now(), isNew: text.includes('????') })
  const load = new ClientLoad({ url: gateway.url, key: KEY, workers: 2, model: 'way-back', onAnswer })
  await plane.revise('way-back', { ...LOCAL_REVISION, environment: { REGRESSION: 'wrong' } })
  await plane.until('way-back', ({ serving }) => serving === 3)
  await plane.order('way-back', 'promote')
  await plane.until('way-back', ({ previous }) => previous?.warm === 2)
  await expect.poll(() => answered.slice(-20).every(({ isNew }) => isNew) && answered.length > 20, { timeout: 20_000 }).toBe(true)
  load.takeCounts()
  const ordered = performance.now()
  await plane.order('way-back', 'back')
  await expect.poll(() => answered.slice(-20).some(({ isNew }) => isNew), { timeout: 20_000 }).toBe(false)
  const returned_s = (answered.findLast(({ isNew }) => isNew)!.at - ordered) / 1000
  await load.stop()
  const { answered: count, cut, lost } = load.takeCounts()
  console.log(
    `way back: the last answer of revision 2 came ${returned_s.toFixed(2)} s after the order; ${count} answered, ${cut} cut, ${lost} lost`,
  )
  expect({ cut, lost }).toEqual({ cut: 0, lost: 0 })
  expect(returned_s).toBeLessThan(5)
  expect(await plane.deployment('way-back')).toMatchObject({ stable: 1, previous: { revision: 2, warm: 2 } })
  await plane.ask('/v1/deployments/way-back', 'DELETE')
  await plane.until(id, ({ state }) => state === 'removed')
})

test('the way back is drilled on a live deployment, warm and from the registry, and shown', { timeout: COMMANDS_MS }, async () => {
  const { plane, gateway, command } = bed
  const spec = { replicas: 2, rollout: { keep_previous_s: 120 }, limits: { drain_s: 1 } }
  const { id } = await plane.ask<{ id: string }>('/v1/deployments', 'POST', { name: 'drilled', spec, revision: LOCAL_REVISION })
  await plane.until('drilled', ({ state }) => state === 'serving')
  expect(await command('describe', 'drilled')).toContain('was never drilled')
  await expect(command('drill', 'rollback', 'drilled', '-y')).rejects.toThrow('no revision served right before revision 1')
  await plane.revise('drilled', { ...LOCAL_REVISION, max_running: 4 })
  await plane.until('drilled', ({ serving }) => serving === 3)
  await plane.order('drilled', 'promote')
  await plane.until('drilled', ({ previous }) => previous?.warm === 2)
  const load = new ClientLoad({ url: gateway.url, key: KEY, workers: 2, model: 'drilled' })
  const warm = JSON.parse(await command('drill', 'rollback', 'drilled', '-y', '--json'))
  expect(warm).toMatchObject({ tier: 'warm', from: 2, to: 1, limit_s: 60, within: true })
  expect(await plane.deployment('drilled')).toMatchObject({ stable: 2, newest: 2, previous: { revision: 1 } })
  const registry = JSON.parse(await command('drill', 'rollback', 'drilled', '--tier', 'registry', '-y', '--json'))
  expect(registry).toMatchObject({ tier: 'registry', from: 2, to: 3, limit_s: 900, within: true })
  await load.stop()
  const { answered, cut, lost } = load.takeCounts()
  console.log(
    `drill: warm back in ${warm.back_s.toFixed(1)} s, forth in ${warm.forth_s.toFixed(1)} s; new replicas back in ${registry.back_s.toFixed(1)} s, forth in ${registry.forth_s.toFixed(1)} s; ${answered} answered, ${cut} cut, ${lost} lost`,
  )
  expect({ cut, lost }).toEqual({ cut: 0, lost: 0 })
  expect(await plane.deployment('drilled')).toMatchObject({ stable: 2, newest: 3, drills: [{ tier: 'registry' }, { tier: 'warm' }] })
  expect(await command('describe', 'drilled')).toMatch(/drill of the way back \(warm\).*within.* the limit of 60 s/)
  expect(await command('events', 'drilled')).toContain('way-back-drilled')
  await plane.ask('/v1/deployments/drilled', 'DELETE')
  await plane.until(id, ({ state }) => state === 'removed')
})

test('a revision that answers otherwise is found by copies of requests', { timeout: TIMEOUT_MS }, async () => {
  const { plane, gateway } = bed
  const spec = { replicas: 1, rollout: { shadow_s: 1, margins: { ttft: 1, tpot: 1, outputs: 0.2 } }, limits: { drain_s: 1 } }
  const { id } = await plane.ask<{ id: string }>('/v1/deployments', 'POST', { name: 'copied', spec, revision: LOCAL_REVISION })
  await plane.until('copied', ({ state }) => state === 'serving')
  const answers = new Set<string>()
  const load = new ClientLoad({ url: gateway.url, key: KEY, workers: 2, model: 'copied', onAnswer: (text) => answers.add(text) })
  await plane.revise('copied', { ...LOCAL_REVISION, environment: { REGRESSION: 'wrong' } })
  const { rollout } = await plane.until('copied', (seen) => seen.rollout?.state === 'rolled-back')
  expect(rollout?.why).toMatch(/100.0 % differing answers/)
  await load.stop()
  expect([...answers].filter((text) => text.includes('????'))).toEqual([])
  await plane.ask('/v1/deployments/copied', 'DELETE')
  await plane.until(id, ({ state }) => state === 'removed')
})
