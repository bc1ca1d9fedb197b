// Approvals over a real PostgreSQL, where two people do release at the same time.

import { createSession, openPostgres } from '@ironlaw/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'
import { issueToken } from '../access/tokens.ts'

const COMPLETE = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }
const now = (): number => Date.now() / 1000

describe.skipIf(SERVER_ABSENT !== undefined)(`PostgreSQL ${SERVER_ABSENT ?? ''}`, () => {
  let bed: ApiBed
  let registry: RegistryBed
  let stop: () => Promise<void>
  const secrets: Record<string, string> = {}
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const server = await startPrivateServer()
    stop = server.stop
    bed = await apiBed({ database: openPostgres(server.url, { max: 8 }), now })
    registry = await registryBed(bed)
    for (const name of ['ana', 'ben', 'cleo', 'dan']) await person(name, 'operator')
    await person('eve', 'admin')
    await requireApprovals([{ project: 'default', role: 'operator', people: 2 }])
  }, BED_TIMEOUT_MS)
  afterAll(async () => {
    await bed.close()
    registry.close()
    await stop()
  })

  /** A token of a project, made by somebody with the role admin everywhere. */
  async function person(name: string, role: 'operator' | 'admin', projects = ['default']): Promise<void> {
    const { id, secret } = await issueToken(bed.database, { name, role, projects, actor: 'test', at: now() })
    Object.assign(secrets, { [name]: secret })
    Object.assign(ids, { [name]: id })
  }

  const TEAM = { name: 'all', projects: ['default', 'other'], members: [{ group: 'leads', role: 'operator' }] }
  const putTeams = (as: string, approvals: readonly object[], members = TEAM.members) =>
    bed.call({ method: 'PUT', url: '/v1/teams', as, body: { teams: [{ ...TEAM, members }], approvals }, headers: { 'if-match': '*' } })

  async function requireApprovals(approvals: readonly object[], members = TEAM.members): Promise<void> {
    expect((await putTeams(bed.tokens.admin, approvals, members)).status).toBe(200)
  }

  const view = async (name: string) => (await registry.ask('GET', `/models/${name}`)).json

  /** As somebody who has just read what was decided. */
  async function decide(by: string, name: string, wanted: object) {
    const seen = (await view(name)).decisions[0]?.number ?? 0
    return decideAt(by, name, { seen, ...wanted })
  }
  const decideAt = (by: string, name: string, wanted: object) =>
    bed.call({
      method: 'POST',
      url: `/v1/projects/default/models/${name}/decisions`,
      as: secrets[by] ?? by,
      body: { why: 'read the evaluation', ...wanted },
    })
  const approve = (by: string, name: string) => decide(by, name, { answer: 'approved' })
  const release = (by: string, name: string) => decide(by, name, { answer: 'released' })
  const newVersion = (name: string) => registry.add(name, { type: 'model', facts: COMPLETE })

  test('a version is released once two others have approved it; before that the refusal names who is missing', async () => {
    await newVersion('chat')
    expect(await view('chat')).toMatchObject({
      approvals: { given: [], missing: [{ role: 'operator', people: 2, groups: ['leads'] }] },
    })
    expect(await approve('ana', 'chat')).toMatchObject({ status: 201, json: { answer: 'approved', role: 'operator', by: ids.ana } })
    expect(await view('chat')).toMatchObject({ state: 'candidate', approvals: { missing: [{ people: 1 }] } })
    const refused = await release('cleo', 'chat')
    expect(refused).toMatchObject({
      status: 409,
      json: {
        title: 'chat cannot be released: approvals of 1 more of role operator are missing',
        next: expect.stringContaining('ironlaw decide chat approve'),
      },
    })
    expect(refused.json.next).toContain('groups with the role: leads')
    expect(refused.json.next).toContain(`approved: ${ids.ana}, operator`)
    expect((await decide('cleo', 'chat', { answer: 'waived', until_at: now() + 1000 })).status).toBe(409)
    await approve('ben', 'chat')
    expect(await release('cleo', 'chat')).toMatchObject({ status: 201, json: { number: 3, answer: 'released' } })
    expect(await view('chat')).toMatchObject({ state: 'released', approvals: { missing: [] } })
    const audit = await bed.call({ method: 'GET', url: '/v1/audit', as: bed.tokens.admin })
    expect(audit.json.items.every(({ intact }: { intact: boolean }) => intact)).toBe(true)
  })

  test('who releases it, who made it, and who approves twice do not count', async () => {
    await newVersion('eyes')
    await approve('ana', 'eyes')
    await approve('ana', 'eyes')
    await approve('cleo', 'eyes')
    await approve(bed.tokens.operator, 'eyes')
    const refused = await release('cleo', 'eyes')
    expect(refused.status).toBe(409)
    expect(refused.json.next).toMatch(/who releases it/)
    expect(refused.json.next).toMatch(/who made the version/)
    expect((await view('eyes')).approvals).toMatchObject({
      given: [{ by: ids.ana }, { by: ids.cleo }],
      discounted: [{ because: 'made-the-version' }],
    })
    expect((await release('dan', 'eyes')).status).toBe(201)
  })

  test('tokens that an admin of the project made or rotated count as that admin', async () => {
    await newVersion('tokens')
    const body = { name: 'robot', role: 'operator', projects: ['default'] }
    for (const robot of ['robot-1', 'robot-2']) {
      const made = await bed.call({ method: 'POST', url: '/v1/tokens', as: secrets.eve ?? '', body: { ...body, name: robot } })
      Object.assign(secrets, { [robot]: made.json.secret })
      await approve(robot, 'tokens')
    }
    expect((await view('tokens')).approvals).toMatchObject({
      given: [{}],
      discounted: [{ because: 'same-person' }],
      missing: [{ people: 1 }],
    })
    expect((await release('eve', 'tokens')).json).toMatchObject({ status: 409, title: expect.stringContaining('2 more') })
    await person('fay', 'operator')
    const url = `/v1/tokens/${ids.fay}/rotate`
    const rotated = await bed.call({ method: 'POST', url, as: secrets.eve ?? '', body: { overlap_s: 0 } })
    expect(rotated.status).toBe(200)
    Object.assign(secrets, { fay: rotated.json.secret })
    await approve('fay', 'tokens')
    expect((await release('dan', 'tokens')).status).toBe(409)
    await approve('ana', 'tokens')
    expect((await release('dan', 'tokens')).status).toBe(201)
  })

  test('a refusal cancels approvals, and so does a retirement; an approval that nobody has seen refused is none', async () => {
    await newVersion('cancelled')
    await approve('ana', 'cancelled')
    await approve('ben', 'cancelled')
    await decide('dan', 'cancelled', { answer: 'refused', why: 'loses in French' })
    expect((await release('cleo', 'cancelled')).json.title).toContain('2 more of role operator')
    expect(await decideAt('ana', 'cancelled', { answer: 'approved', seen: 2 })).toMatchObject({ status: 409 })
    expect((await decideAt('cleo', 'cancelled', { answer: 'released', seen: 2 })).json.title).toContain('decided about')
    await approve('ana', 'cancelled')
    await approve('ben', 'cancelled')
    expect((await release('cleo', 'cancelled')).status).toBe(201)
    await decide('dan', 'cancelled', { answer: 'retired' })
    expect((await release('cleo', 'cancelled')).status).toBe(409)
  })

  test('an approval does not count once its token was revoked, or once the teams give its person no role', async () => {
    await newVersion('revoked')
    await person('gus', 'operator')
    await approve('gus', 'revoked')
    await approve('ben', 'revoked')
    await bed.call({ method: 'DELETE', url: `/v1/tokens/${ids.gus}`, as: bed.tokens.admin })
    expect((await view('revoked')).approvals).toMatchObject({ given: [{ by: ids.ben }], discounted: [{ by: ids.gus, because: 'no-role' }] })
    expect((await release('cleo', 'revoked')).status).toBe(409)
    await signedIn('hal', ['leads'])
    await bed.database
      .insertInto('decisions')
      .values({ ...APPROVED, artifact_id: (await view('revoked')).id, number: 3, by: 'oidc:hal', role: 'operator', at: now() })
      .execute()
    expect((await view('revoked')).approvals).toMatchObject({ missing: [], given: [{ by: ids.ben }, { by: 'oidc:hal' }] })
    await requireApprovals([{ project: 'default', role: 'operator', people: 2 }], [{ group: 'leads', role: 'member' }])
    expect((await view('revoked')).approvals).toMatchObject({ missing: [{ people: 1, groups: [] }] })
    expect((await release('cleo', 'revoked')).status).toBe(409)
    await requireApprovals([{ project: 'default', role: 'operator', people: 2 }])
    expect((await release('cleo', 'revoked')).status).toBe(201)
  })

  const APPROVED = {
    project: 'default',
    answer: 'approved',
    rule: 'judgement',
    evidence: JSON.stringify({ artifacts: [], figures: [] }),
    why: 'read it',
  } as const

  const signedIn = (subject: string, groups: readonly string[]) =>
    createSession(
      bed.database,
      {
        id: `session-${subject}`,
        secret_hash: subject,
        kind: 'console',
        issuer: 'https://id.example',
        subject,
        name: subject,
        groups,
        issued_at: now(),
        expires_at: now() + 1000,
      },
      { kind: 'signed-in', actor: `oidc:${subject}`, at: now(), body: {} },
    )

  test('who decides cannot lower what is needed, and who is of another project neither approves nor counts', async () => {
    await newVersion('held')
    for (const by of [secrets.ana ?? '', secrets.eve ?? '']) expect((await putTeams(by, [])).status).toBe(403)
    await person('ivy', 'admin', ['other'])
    expect((await approveIn('other', 'ivy', 'held')).status).toBe(404)
    expect((await approveIn('default', 'ivy', 'held')).status).toBe(404)
    await requireApprovals([{ project: 'other', role: 'admin', people: 5 }])
    expect(await view('held')).not.toHaveProperty('approvals')
    expect((await release('ana', 'held')).status).toBe(201)
    await requireApprovals([{ project: 'default', role: 'operator', people: 2 }])
  })

  const approveIn = (project: string, by: string, name: string) =>
    bed.call({
      method: 'POST',
      url: `/v1/projects/${project}/models/${name}/decisions`,
      as: secrets[by] ?? '',
      body: { answer: 'approved', seen: 0, why: 'x' },
    })

  test('of two that release at once one does; of a release and a refusal at once never a release that nobody approved', async () => {
    for (const name of ['race-1', 'race-2', 'race-3']) {
      await newVersion(name)
      await approve('ana', name)
      await approve('ben', name)
      const both = await Promise.all(['cleo', 'dan'].map((by) => decideAt(by, name, { answer: 'released', seen: 2 })))
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
      await decide('eve', name, { answer: 'retired' })
      await approve('ana', name)
      await approve('ben', name)
      const [released, refused] = await Promise.all([
        decideAt('cleo', name, { answer: 'released', seen: 6 }),
        decideAt('dan', name, { answer: 'refused', seen: 6 }),
      ])
      expect(new Set([released?.status, refused?.status])).toEqual(new Set([201, 409]))
      // One that has seen a refusal which is not there yet.
      expect((await decideAt('cleo', name, { answer: 'released', seen: 8 })).status).toBe(409)
    }
  })
})
