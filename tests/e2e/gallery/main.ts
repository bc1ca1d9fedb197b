// `npm run e2e:gallery`: the examples, each by the commands of its README against one control plane and gateway of this machine, started by the commands
// of examples/README.md. What a page says that one sees must be seen. `npm run e2e:gallery -- chat canary` tries these alone.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { commandsIn } from '../terminal/readme.ts'
import { Shell } from '../terminal/shell.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const FRAMEWORKS = process.env['E2E_FRAMEWORKS'] ?? join(homedir(), '.cache/ironlaw/frameworks')
const PYTORCH = existsSync('/usr/lib/python3/dist-packages/torch') ? undefined : 'no PyTorch: apt-get install python3-torch'

/** Why an example cannot run here. */
const ABSENT: Readonly<Record<string, string | undefined>> = {
  'reference-trainer': PYTORCH,
  'plain-ddp': PYTORCH,
  lora: PYTORCH,
  chat: PYTORCH,
  canary: PYTORCH,
  autoscale: PYTORCH,
  'hugging-face': existsSync(join(FRAMEWORKS, 'bin/python')) ? undefined : `no virtual environment with transformers at ${FRAMEWORKS}`,
}

const pageOf = (folder: string): string => readFileSync(join(EXAMPLES, folder, 'README.md'), 'utf8')
const index = pageOf('.')
const listed = [...new Set([...index.matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map((match) => match[1] ?? ''))]
const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && existsSync(join(EXAMPLES, entry.name, 'README.md')),
)
const unlisted = folders.map(({ name }) => name).filter((name) => !listed.includes(name))
const chosen = process.argv.slice(2)
const names = chosen.length === 0 ? listed : chosen

const failures = unlisted.map((name) => `examples/README.md does not name ${name}`)
const shell = await Shell.open()
if (names.includes('hugging-face')) shell.lend(FRAMEWORKS, 'examples/hugging-face/venv')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void shell.close().finally(() => process.exit(130)))
const begun = performance.now()
try {
  await tried('a control plane and a gateway', index)
  for (const name of failures.length > unlisted.length ? [] : names) {
    const absent = ABSENT[name]
    if (absent === undefined) await tried(name, pageOf(name))
    else console.log(`         skipped  ${name}: ${absent}`)
  }
} finally {
  await shell.close()
}
for (const failure of failures) console.log(`\nFAILED: ${failure}`)
console.log(
  `${((performance.now() - begun) / 1000).toFixed(0)} s in all, ${failures.length === 0 ? 'all well' : `${failures.length} failed`}`,
)
process.exit(failures.length === 0 ? 0 : 1)

/** One that fails does not keep the others from being tried. */
async function tried(name: string, page: string): Promise<void> {
  const at = performance.now()
  const failed = await runAll(page).then(
    () => undefined,
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  )
  if (failed !== undefined) failures.push(`${name}: ${failed}`)
  console.log(`${((performance.now() - at) / 1000).toFixed(1).padStart(7)} s  ${failed === undefined ? 'done   ' : 'FAILED '}  ${name}`)
}

async function runAll(page: string): Promise<void> {
  for (const shown of commandsIn(page)) await shell.run(shown)
}
