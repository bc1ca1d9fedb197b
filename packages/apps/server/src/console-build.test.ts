// The real builder over a small site: on demand, once, whole, by several at the same time, and with a failure that ends nothing.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { keepConsoleBuilt } from './console-build.ts'
import { serveConsole } from './console-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-console-build-'))
afterAll(() => rmSync(directory, { recursive: true }))

const MODULES = resolve(import.meta.dirname, '../../../../node_modules')
let source = ''
let count = 0
beforeEach(() => {
  source = join(directory, `apps${(count += 1)}/console`)
  mkdirSync(join(source, 'src'), { recursive: true })
  symlinkSync(MODULES, join(source, 'node_modules'))
  writeFileSync(join(source, 'package.json'), '{"type":"module"}')
  writeFileSync(join(source, 'index.html'), '<title>Ironlaw</title><script type="module" src="/src/main.ts"></script>')
  writeFileSync(join(source, 'src/main.ts'), 'document.title = "first"')
})

function build(): { readonly told: readonly string[]; readonly site: ReturnType<typeof keepConsoleBuilt> } {
  const told: string[] = []
  return { told, site: keepConsoleBuilt({ source, tell: (line) => told.push(line) }) }
}

const scripts = (): string =>
  readdirSync(join(source, 'dist/assets'))
    .map((name) => readFileSync(join(source, 'dist/assets', name), 'utf8'))
    .join('')

const SLOW = { timeout: 240_000 }

test('it is built when it is missing or older than its sources, and not again', SLOW, async () => {
  const first = build()
  await first.site.done
  expect(first.told).toEqual([
    expect.stringContaining('building the console'),
    expect.stringMatching(/^the console is built, in \d+\.\d s$/),
  ])
  const second = build()
  await second.site.done
  expect(second.told).toEqual([])
  writeFileSync(join(source, 'src/main.ts'), 'document.title = "second one"')
  await build().site.done
  expect(scripts()).toContain('second one')
  expect(readdirSync(source).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
})

test('two at once leave one whole site', SLOW, async () => {
  const both = [build(), build()]
  await Promise.all(both.map(({ site }) => site.done))
  for (const { told } of both) expect(told.at(-1)).toMatch(/^the console is built/)
  expect(scripts()).toContain('first')
  expect(readdirSync(source).filter((name) => name.startsWith('dist'))).toEqual(['dist'])
})

test('a source that does not build is one line, and what was there before is served', SLOW, async () => {
  await build().site.done
  writeFileSync(join(source, 'src/main.ts'), 'const = ;')
  const broken = build()
  await broken.site.done
  expect(broken.told.at(-1)).toMatch(/^warning: the console was not built: .+; everything else works/)
  expect(broken.told.at(-1)).not.toContain('\n')
  expect(scripts()).toContain('first')
  expect(broken.site.isBuilding()).toBe(false)
})

test('without the builder nothing is built, and that is said only where there is nothing to serve', async () => {
  rmSync(join(source, 'node_modules'))
  const bare = build()
  await bare.site.done
  expect(bare.told).toEqual([expect.stringContaining('its sources or Vite are not installed here')])
  mkdirSync(join(source, 'dist'))
  writeFileSync(join(source, 'dist/index.html'), 'x')
  const there = build()
  await there.site.done
  expect(there.told).toEqual([])
})

test('while it is being built its page says so, and is there afterwards without a restart', async () => {
  let isBuilding = true
  const folder = join(source, 'dist')
  const server = createServer((_, response) => response.writeHead(401).end())
  expect(serveConsole(server, { folder, isBuilding: () => isBuilding })).toBe('/console/')
  const { promise, resolve: listening } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening)
  await promise
  const page = async (): Promise<readonly [number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/console/`)
    return [answer.status, await answer.text()]
  }
  expect(await page()).toEqual([503, expect.stringContaining('being built')])
  isBuilding = false
  expect(await page()).toEqual([503, expect.stringContaining('was not built')])
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), 'here')
  expect(await page()).toEqual([200, 'here'])
  server.close()
})
