// Every command shown in README, guides and help texts is run, and what a page prints below a command is what the command
// prints. UPDATE=1 rewrites the printed outputs.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const CLI = join(ROOT, 'packages/apps/cli/src/main.ts')
const PAGES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const update = process.env['UPDATE'] === '1'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ironlaw-docs-'))
  cpSync(join(ROOT, 'tests/fixtures'), folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

type Ran = { readonly output: string; readonly status: number | null }

const ran = new Map<string, Ran>()

/** A command that stands on several pages is run for the first of them. */
function run(command: string): Ran {
  const line = command.replace(/^(?:npx )?ironlaw\b/, `"${process.execPath}" "${CLI}"`)
  const result = ran.get(line) ?? runInShell(line)
  ran.set(line, result)
  return result
}

/** As a shell would, from a folder that holds the files the pages speak of. */
function runInShell(line: string): Ran {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', line], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '120', IRONLAW_MEASURED: 'measured' },
  })
  return { output: (stdout + stderr).trimEnd(), status }
}

type ShownCommand = { readonly command: string; readonly output: string; readonly at: number }

/** `$ command` lines of a console block with the lines printed below each. */
function shownCommands(block: string): ShownCommand[] {
  const lines = block.split('\n')
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []))
  return starts.map((start, index) => ({
    command: (lines[start] ?? '').slice(2),
    output: lines
      .slice(start + 1, starts[index + 1])
      .join('\n')
      .trimEnd(),
    at: start,
  }))
}

const BLOCK = /```(\w+)\n([\s\S]*?)```/g

function refreshPage(page: string): string {
  return page.replaceAll(BLOCK, (whole, language: string, body: string) => {
    if (language !== 'console') return whole
    return `\`\`\`console\n${shownCommands(body)
      .map(({ command }) => `$ ${command}\n${run(command).output}\n`)
      .join('\n')}\`\`\``
  })
}

/** These need a control plane; the end-to-end tests run them against one. */
const OPERATES =
  /^ironlaw (?:up|apply|get|describe|logs|events|ledger|top|cancel|resume|login|logout|session|token|secret|artifact|profile --of|trace|diff|decide|data (?:show|seen|plan|probe|build)|evaluate run|validate data|certificate|audit|budget|rollout|drill|remove|chat|bench|calibrate|export|sign|verify|engine|gateway|console|context (?:use|add|remove))\b/

describe.each(PAGES)('%s', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8')
  const blocks = [...page.matchAll(BLOCK)].map(([, language = '', body = '']) => ({ language, body }))
  // Those of the examples need a control plane; `npm run e2e:gallery` runs them against one.
  const consoleBlocks = blocks.filter(({ language }) => language === 'console' && !path.startsWith('examples/'))

  if (update && consoleBlocks.length > 0) test('is rewritten', () => writeFileSync(join(ROOT, path), refreshPage(page)))

  const shown = update ? [] : consoleBlocks.flatMap(({ body }) => shownCommands(body))
  if (shown.length > 0)
    test.each(shown)('$command', ({ command, output }) => {
      expect(command).toMatch(/^npx ironlaw /)
      expect(run(command).output).toBe(output)
    })

  test('shell blocks hold only what .ci/run runs too', () => {
    const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts
    const isKnownScript = (line: string): boolean => {
      const script = /^npm run ([\w:]+)/.exec(line)?.[1] ?? (/^npm test\b/.test(line) ? 'test' : undefined)
      return script !== undefined ? Object.hasOwn(scripts, script) : /^(?:npm ci$|cd ironlaw$|git clone )/.test(line)
    }
    const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ body }) => body.split('\n').filter(Boolean))
    expect(lines.filter((line) => !isKnownScript(line))).toEqual([])
  })

  const inline = [...page.replaceAll(BLOCK, '').matchAll(/`npx (ironlaw [^`<\n]+)`/g)]
    .map((match) => match[1] ?? '')
    .filter((command) => !path.startsWith('examples/') || !OPERATES.test(command))
  if (inline.length > 0) test.each(inline)('%s, named in passing, runs', (command) => expect(run(command).status).toBe(0))

  test('links lead somewhere', () => {
    const links = [...page.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '')
    const missing = links.filter((link) => !PAGES.includes(join(path, '..', link)) && !existsSync(join(ROOT, path, '..', link)))
    expect(missing).toEqual([])
  })
})

describe('the examples of every help text run', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference/cli.md'), 'utf8')
  const commands = [
    ...new Set([...reference.matchAll(/^ {2}\$ (ironlaw .*)$/gm)].map((match) => (match[1] ?? '').replace(/ > .*/, ''))),
  ].filter((command) => !OPERATES.test(command))

  test('there are some', () => expect(commands.length).toBeGreaterThan(8))
  test.each(commands)('%s', (command) => expect(run(command).status).toBe(0))
})
