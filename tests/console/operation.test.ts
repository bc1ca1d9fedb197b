// The pages of deployments and of the fleet against a real API, over a simulated fleet.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SimulatedPlane, startSimulatedPlane } from './simulated-plane.ts'
import { connect, openSite, overflow, region, seriousViolations, type Site } from './site.ts'

const SOON = { timeout: 120_000 }

let plane: SimulatedPlane
let site: Site
beforeAll(async () => {
  plane = await startSimulatedPlane({ nodes: 120, past_s: 700, promoted: false })
  site = await openSite(plane.api)
}, 300_000)
afterEach(() => site.closePages())
afterAll(async () => {
  await site?.close()
  await plane?.close()
})

async function openConnected(hash: string, look: { readonly width?: number; readonly dark?: boolean } = {}): Promise<Page> {
  const page = await site.open(hash, look)
  await connect(page, plane.token)
  return page
}

const readText = (page: Page, name: string): Promise<string> => region(page, name).innerText()

/** Nothing serious for axe, nothing sticks out, in both widths. */
async function expectFits(page: Page): Promise<void> {
  expect(await seriousViolations(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 900 })
  await expect.poll(() => overflow(page), { timeout: 10_000 }).toBe(0)
  expect(await seriousViolations(page)).toEqual([])
}

describe('deployments', { timeout: 300_000 }, () => {
  test('the list says what serves, what is tried and why one waits; a row leads to its page', async () => {
    const page = await openConnected('#/deployments', { dark: true })
    await expect.poll(() => readText(page, 'Table of deployments'), SOON).toContain('1 of 3 replicas serve')
    expect(await readText(page, 'Table of deployments')).toContain('revision 3')
    expect(await page.getByRole('img', { name: '24 serving' }).count()).toBe(1)
    await expectFits(page)
    await page.getByRole('link', { name: 'chat' }).press('Enter')
    await expect.poll(() => page.url(), SOON).toContain('deployment=chat')
  })

  test('a deployment is shown in full, and a rollout is paused, resumed and rolled back by keyboard', async () => {
    const page = await openConnected('#/deployments?deployment=chat')
    await expect.poll(() => readText(page, 'Rollout of revision 3'), SOON).toContain('time to first token')
    await expect.poll(() => page.getByLabel(/^Evidence of the guardrails/).count(), SOON).toBe(1)
    await expect.poll(() => page.getByLabel(/^Time to first token \(TTFT\) over/).count(), SOON).toBe(1)
    await expect.poll(() => readText(page, 'SLO attainment'), SOON).toContain('p50 within 250 ms')
    await expect.poll(() => readText(page, 'The deployment'), SOON).toContain('per 1M tokens')
    expect(await readText(page, 'The deployment')).toMatch(/p99 \d/)
    await expect.poll(() => readText(page, 'Revisions'), SOON).toContain('revision 2 rolled back: time to first token')
    await expect.poll(() => readText(page, 'Replicas'), SOON).toContain('gpu-0')
    await expect.poll(() => readText(page, 'Engine log'), SOON).toContain('ready after 41.2 s')
    await page.getByText('that are gone').click()
    expect(await readText(page, 'Replicas that are gone')).toContain('drained')
    await expect.poll(() => readText(page, 'Tenants'), SOON).toContain('support-2026')
    expect(await seriousViolations(page)).toEqual([])

    const press = async (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).press('Enter')
    await press('Pause')
    await page.keyboard.press('Escape')
    await press('Pause')
    await press('Confirm: pause 3')
    await expect.poll(() => readText(page, 'Rollout of revision 3'), SOON).toContain('Paused by')
    await press('Resume')
    await press('Confirm: resume 3')
    await expect.poll(() => page.getByRole('button', { name: 'Pause', exact: true }).count(), SOON).toBe(1)
    await press('Roll back')
    await press('Confirm: roll back 3')
    await expect.poll(() => readText(page, 'Rollout of revision 3'), SOON).toContain('rolled back')
    await expect.poll(() => readText(page, 'Revisions'), SOON).toContain('revision 3 rolled back: on request')
    await expect.poll(() => page.getByRole('button', { name: 'Promote' }).count(), SOON).toBe(0)
    await expectFits(page)
  })

  test('one that is scaled by need shows how many were wanted when, and why', async () => {
    const page = await openConnected('#/deployments?deployment=rerank')
    await expect.poll(() => readText(page, 'Scaling'), SOON).toContain('From 1 to 8 replicas by need')
    await expect.poll(() => readText(page, 'Scaling'), SOON).toMatch(/2 → [3-8] \w/)
    expect(await page.getByLabel(/^Desired replicas over/).count()).toBe(1)
    await expectFits(page)
  })

  test('one that is not there is refused in words', async () => {
    const page = await openConnected('#/deployments?deployment=nobody')
    await expect.poll(() => page.getByRole('alert').innerText(), SOON).toContain('nobody')
  })
})

describe('the fleet', { timeout: 300_000 }, () => {
  test('nodes, queue and time are shown; the address holds what was chosen', async () => {
    const page = await openConnected('#/fleet?since=ever')
    await expect.poll(() => readText(page, 'The fleet'), SOON).toContain('of 120')
    await expect.poll(() => readText(page, 'Queue'), SOON).toContain('needs 120 nodes')
    await expect.poll(() => readText(page, 'Queue'), SOON).toContain('2 replicas')
    await expect.poll(() => readText(page, 'Utilisation in three tiers'), SOON).toContain('3 runs that ended')
    await expect.poll(() => readText(page, 'Where the time went'), SOON).toContain('compute')
    await expect.poll(() => readText(page, 'Measured against predicted'), SOON).toContain('1.37 ×')
    expect(await readText(page, 'Out of service')).toContain('xid 79')
    await page.getByLabel('out', { exact: true }).press('Space')
    await expect.poll(() => page.url(), SOON).toContain('show=out')
    await page.getByRole('radio', { name: 'all' }).press('Space')
    await page.getByLabel('Filter: Nodes').fill('gpu-0007')
    await expect.poll(() => page.getByRole('option').count(), SOON).toBe(1)
    await page.getByLabel('Filter: Nodes').fill('')
    await page.getByLabel('team', { exact: true }).press('Space')
    await expect.poll(() => readText(page, 'By team'), SOON).toContain('foundation')
    await expectFits(page)
  })

  test('a node is found with the arrow keys, drained with a reason, and returned', async () => {
    const page = await openConnected('#/fleet', { dark: true })
    const grid = page.getByRole('listbox')
    await grid.press('Home')
    await grid.press('ArrowRight')
    await expect.poll(() => page.url(), SOON).toContain('node=gpu-0002')
    await page.getByRole('textbox', { name: 'Reason' }).fill('smells of smoke')
    const press = async (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).press('Enter')
    await press('Drain')
    await press('Confirm: drain gpu-0002')
    await expect.poll(() => readText(page, 'Node gpu-0002'), SOON).toContain('smells of smoke')
    await expect.poll(() => readText(page, 'Out of service'), SOON).toContain('smells of smoke')
    await press('Return to service')
    await press('Confirm: return to service')
    await expect.poll(() => readText(page, 'Node gpu-0002'), SOON).not.toContain('smells of smoke')
    expect(await seriousViolations(page)).toEqual([])
  })
})

describe('drills of the way back', { timeout: 300_000 }, () => {
  const order = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${plane.api}/v1/deployments${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Answer
  }

  const revision = (model: string) => ({ model, argv: ['engine'], directory: '/', processes: 1 })

  async function expectServing(name: string, number: number): Promise<void> {
    type Served = { readonly state: string; readonly stable: number }
    const look = async (): Promise<readonly [string, number]> => {
      const { state, stable } = await order<Served>(`/${name}`)
      return [state, stable]
    }
    await expect.poll(look, SOON).toEqual(['serving', number])
  }

  test('the last one is shown against its goal; where there is none, the command', async () => {
    await order('', { name: 'drilled', spec: { replicas: 1 }, revision: revision('one') })
    await expectServing('drilled', 1)
    const page = await openConnected('#/deployments?deployment=drilled')
    const drills = () => readText(page, 'Drills of the way back')
    await expect
      .poll(drills, SOON)
      .toMatch(/never drilled goal 60 s[^]*ironlaw drill rollback drilled --tier warm[^]*goal 15 min[^]*--tier registry/)
    await order('/drilled/revisions', revision('two'))
    await order('/drilled/rollout', { do: 'promote' })
    await expectServing('drilled', 2)
    await order('/drilled/rollout', { do: 'back' })
    await expectServing('drilled', 1)
    await order('/drilled/rollout', { do: 'back', to: 2 })
    await expectServing('drilled', 2)
    await order('/drilled/drills', { tier: 'warm', from: 2, to: 1, back_s: 1.4, forth_s: 0.2 })
    await expect
      .poll(drills, SOON)
      .toMatch(
        /kept ready: 1\.4 s goal 60 s within its goal[^]*revision 2 to 1, and back again in 200 ms; [^]*ago by admin[^]*never drilled/,
      )
    await expectFits(page)
  })
})
