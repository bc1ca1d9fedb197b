// slurmrestd over https: it speaks plain HTTP itself, so a proxy of the site terminates TLS, with a certificate of the site's own authority.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { openAuthority } from '@ironlaw/certificates'
import { slurmRestExecutor } from '@ironlaw/executors/slurm-rest'
import { expect, onTestFinished, test } from 'vitest'
import { startRestCluster } from '../packages/effects/executors/src/slurm-rest/testbed.fixture.ts'
import { terminateTls } from './tls-terminator.ts'

const isAbsent = !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'slurmrestd')))

test.skipIf(isAbsent)('a job is submitted, seen and cancelled through a proxy whose authority is given', { timeout: 240_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-slurm-tls-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const cluster = await startRestCluster(1)
  onTestFinished(() => cluster.testbed('down'))
  const { url: api, caFile, connections, close } = await terminateTls(cluster.options.api, join(directory, 'authority'))
  onTestFinished(close)

  // No token leaves for a server that is not trusted.
  await openAuthority(join(directory, 'stranger'))
  for (const trust of [{}, { caFile: join(directory, 'stranger/ca.pem') }])
    expect(await slurmRestExecutor({ ...cluster.options, api, ...trust }).capacity()).toMatchObject({
      answer: 'unreachable',
      reason: expect.stringMatching(/certificate/),
    })
  expect(connections()).toBe(0)

  const executor = slurmRestExecutor({ ...cluster.options, api, caFile })
  const job = { key: 'secure', nodes: 1, processesPerNode: 1, exclude: [], argv: ['sleep', '300'], env: {}, directory }
  expect(await executor.submit({ ...job, logDirectory: join(directory, 'logs') })).toMatchObject({ answer: 'submitted' })
  expect(await cluster.live('secure')).toHaveLength(1)
  expect(await executor.sightings(['secure'])).toMatchObject({ answer: 'seen' })
  expect(await executor.cancel('secure')).toEqual({ answer: 'done' })
  await expect.poll(() => cluster.live('secure'), { timeout: 30_000 }).toEqual([])
})

test('a proxy that does not answer in time, and an authority that cannot be read, are said to be so', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-slurm-tls-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const silent = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => silent.once('listening', listening))
  const address = silent.address()
  const {
    url: api,
    caFile,
    close,
  } = await terminateTls(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, join(directory, 'a'))
  onTestFinished(() => {
    close()
    silent.close()
  })
  const tokenFile = join(directory, 'token')
  writeFileSync(tokenFile, 'token')
  const own = { api, user: 'root', tokenFile, timeout_s: 0.3 }
  const unreachable = (reason: string) => ({ answer: 'unreachable', reason: expect.stringContaining(reason) })
  expect(await slurmRestExecutor({ ...own, caFile }).capacity()).toEqual(unreachable('no answer in 0.3 s'))
  expect(await slurmRestExecutor({ ...own, caFile: join(directory, 'none.pem') }).capacity()).toEqual(unreachable('ENOENT'))
})
