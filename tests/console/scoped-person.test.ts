// What the console shows to a viewer of one project.

import { CREATED_TOKEN } from '@ironlaw/contracts/api'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { sparePort } from './control-plane.ts'
import { connect, openSite, type Site } from './site.ts'

let plane: ControlPlane
let site: Site
beforeAll(async () => {
  plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  site = await openSite(plane.api)
}, 240_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function post(path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${plane.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(201)
  return answer.json()
}

const newRun = (name: string, project: string) =>
  post('/v1/runs', {
    name,
    project,
    plan: sampleTrainingPlan(),
    program: { argv: ['true'], directory: '/', environment: {} },
    // More than there are, so that it waits.
    shape: { nodes: 4, processesPerNode: 1, smaller: [] },
  })

test('a viewer of one project sees its runs alone, and is offered nothing that is refused', { timeout: 240_000 }, async () => {
  await newRun('found', 'search')
  await newRun('hidden', 'vision')
  const { secret } = CREATED_TOKEN.parse(await post('/v1/tokens', { name: 'ada', role: 'viewer', projects: ['search'] }))
  const page = await site.open('#/runs')
  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 401 || answer.status() === 403) refused.push(answer.url())
  })
  await connect(page, secret)
  await page.getByRole('link', { name: 'found' }).first().waitFor()
  expect(await page.getByText('hidden').count()).toBe(0)
  await page.getByRole('link', { name: 'found' }).first().click()
  await page.getByRole('region', { name: 'The run' }).waitFor()
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Fleet' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(refused).toEqual([])
  expect(await page.getByRole('alert').count()).toBe(0)
})
