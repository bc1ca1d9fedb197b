// Certificates of the gateway, of the control API and of replicas, clients' keys and the gateway's token are all replaced, again and again, under a
// steady load of both teams. No question may be lost.

import { setTimeout as pause } from 'node:timers/promises'
import { AnswerLoad, type LoadClient } from './answer-load.ts'
import { type CertificateFiles, replaceCertificate, replaceFile } from './certificate-files.ts'
import { check, say, until } from './checks.ts'
import type { IdentityBed, RunningGateway } from './identity-bed.ts'
import { rotateReplica } from './replica-rotation.ts'
import { type ClientKey, complete, completionOf, configureKeys } from './serving.ts'
import type { Side } from './sides.ts'
import { type Reply, SITE_ADDRESS } from './site.ts'

const ROUNDS = 3
/** Of the gateway's token: the old one still works while the new one is on its way. */
const OVERLAP_S = 1
/** About a second at the engine's 4 ms a token: open while a certificate is replaced. */
const LONG_TOKENS = 200
/** A token may ask the control API 50 times a second. */
const CONTROL_PAUSE_MS = 40

type Scene = { readonly bed: IdentityBed; readonly gateway: RunningGateway; readonly sides: readonly Side[] }

export type Rotated = { readonly keys: readonly ClientKey[]; readonly secrets: readonly string[] }

/** The keys in force at the end, and every token that the gateway had. */
export async function testRotation({ bed, gateway, sides }: Scene): Promise<Rotated> {
  const clients = { number: 0 }
  const load = new AnswerLoad(sides.flatMap((side) => clientsOf(side, { bed, gateway, keyNumber: () => clients.number })))
  const secrets = [gateway.token.secret]
  const began = Date.now()
  await load.settle()
  for (let round = 1; round <= ROUNDS; round += 1) {
    await rotateCertificate(bed, load, { files: gateway.files, url: gateway.url, name: 'g1' })
    await rotateCertificate(bed, load, { files: bed.controlFiles, url: bed.controlUrl, name: 'control' })
    for (const side of sides) await rotateReplica(bed, side)
    secrets.push(await rotateToken(bed, gateway, secrets.at(-1) ?? ''))
    await rotateKeys({ bed, gateway, sides }, load, clients)
  }
  await load.settle()
  await load.stop()
  sayFigures(load, (Date.now() - began) / 1000)
  return { keys: sides.map((side) => ({ side, number: clients.number })), secrets }
}

type ClientSettings = { readonly bed: IdentityBed; readonly gateway: RunningGateway; readonly keyNumber: () => number }

/** Streamed and whole answers, on connections that stay and on new ones; and the team's own deployment at the control API. */
function clientsOf(side: Side, { bed, gateway, keyNumber }: ClientSettings): readonly LoadClient[] {
  const answers = [
    { kind: 'whole', tokens: 8, isStreamed: false, connectsAnew: false },
    { kind: 'whole anew', tokens: 8, isStreamed: false, connectsAnew: true },
    { kind: 'stream', tokens: 32, isStreamed: true, connectsAnew: false },
    { kind: 'stream anew', tokens: 32, isStreamed: true, connectsAnew: true },
    { kind: 'long stream', tokens: LONG_TOKENS, isStreamed: true, connectsAnew: true },
  ]
  const { belongings, token, team } = side
  return [
    ...answers.map(({ kind, tokens, isStreamed, connectsAnew }) => ({
      name: `gateway, ${team}, ${kind}`,
      site: { url: gateway.url, ca: bed.ca },
      connectsAnew,
      question: () => completionOf({ key: { side, number: keyNumber() }, tokens, isStreamed }),
      problem: (reply: Reply) => answerProblem(reply, { isStreamed, tokens }),
    })),
    ...[false, true].map((connectsAnew) => ({
      name: `control, ${team}${connectsAnew ? ' anew' : ''}`,
      site: { url: bed.controlUrl, ca: bed.ca },
      connectsAnew,
      pause_ms: 2 * CONTROL_PAUSE_MS,
      question: () => ({ path: `/v1/deployments/${belongings.deployment}`, token }),
      problem: ({ status, text }: Reply) => (status === 200 ? undefined : `${status} ${text}`),
    })),
  ]
}

/** A stream that was cut has no end; one that went wrong says so in its last event. */
function answerProblem({ status, text }: Reply, { isStreamed, tokens }: { isStreamed: boolean; tokens: number }): string | undefined {
  const pieces = text.split('"text":').length - 1
  const isWhole = isStreamed ? text.trimEnd().endsWith('data: [DONE]') && pieces >= tokens : pieces === 1
  return status === 200 && isWhole && !text.includes('"error"') ? undefined : `${status} ${text.slice(-300)}`
}

type Served = { readonly files: CertificateFiles; readonly url: string; readonly name: string }

async function rotateCertificate(bed: IdentityBed, load: AnswerLoad, { files, url, name }: Served): Promise<void> {
  const serial = await replaceCertificate(bed, files, { name, address: SITE_ADDRESS })
  await until(`${name} shows certificate ${serial} to new connections`, () => load.wasShown(url, serial))
}

/** A second key, then the clients move, then the first is gone. */
async function rotateKeys({ bed, gateway, sides }: Scene, load: AnswerLoad, clients: { number: number }): Promise<void> {
  const [old, next] = [clients.number, clients.number + 1].map((number) => sides.map((side) => ({ side, number })))
  if (!old || !next) return
  await configureKeys(bed, [...old, ...next])
  for (const key of next) await until('a new key is answered', async () => (await complete(gateway.site, { key })).status === 200)
  clients.number += 1
  await load.settle()
  await configureKeys(bed, next)
  for (const key of old) await until('an old key is refused', async () => (await complete(gateway.site, { key })).status === 401)
}

/** The gateway has the new one in its file before the old one ends; that it uses it is shown by the keys that it learns of afterwards. */
async function rotateToken({ control, admin }: IdentityBed, { token: { id }, tokenFile }: RunningGateway, old: string): Promise<string> {
  const body = { overlap_s: OVERLAP_S }
  const { secret } = await control.get<{ secret: string }>({ path: `/v1/tokens/${id}/rotate`, method: 'POST', token: admin, body })
  replaceFile(tokenFile, `${secret}\n`)
  await until('the old token of the gateway is refused', async () => {
    const { status } = await control.ask({ path: '/v1/principal', token: old })
    if (status !== 401) await pause(100)
    return status === 401
  })
  return secret
}

function sayFigures(load: AnswerLoad, took_s: number): void {
  const [gateway, control] = [load.figures('gateway'), load.figures('control')]
  const lost = [...gateway.lost, ...control.lost]
  check(lost.length === 0, `${lost.length} requests were lost: ${lost.slice(0, 5).join('; ')}`)
  say(
    `${ROUNDS} rounds in ${took_s.toFixed(0)} s replaced the certificates of gateway, control API and replicas, both teams' keys and the gateway's token: ` +
      `${gateway.answered} answers of the gateway (${gateway.connections} connections) and ${control.answered} of the control API ` +
      `(${control.connections} connections), ${lost.length} lost`,
  )
}
