// `npm run e2e:gallery`: the examples, each by the commands of its README against one control plane and gateway of this machine, started by the commands
// of examples/README.md. What a page says that one sees must be seen. `npm run e2e:gallery -- chat canary` tries these alone.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { frameworkPython } from '../frameworks/environment.ts'
import { commandsIn } from '../terminal/readme.ts'
import { Shell } from '../terminal/shell.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
const FRAMEWORKS = frameworkPython()
const PYTORCH = existsSync('/usr/lib/python3/dist-packages/torch') ? undefined : 'no PyTorch: apt-get install python3-torch'

/** Why an example cannot run here. */
const ABSENT: Readonly<Record<string, string | undefined>> = {
  'reference-trainer': PYTORCH,
  data: PYTORCH,
  'plain-ddp': PYTORCH,
  sweep: PYTORCH,
  lora: PYTORCH,
  chat: PYTORCH,
  canary: PYTORCH,
  autoscale: PYTORCH,
  'hugging-face': 'missing' in FRAMEWORKS ? FRAMEWORKS.missing : undefined,
}

const pageOf = (folder: string): string => readFileSync(join(EXAMPLES, folder, 'README.md'), 'utf8')
const index = pageOf('.')
/** Rows of the table: an example, and in the last column the others whose results it uses. */
const needs = new Map([...index.matchAll(/^\| \[([\w-]+)\]\(.*\|([^|]*)\|$/gm)].map(([, name = '', last = '']) => [name, linked(last)]))
const listed = [...needs.keys()]
const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && existsSync(join(EXAMPLES, entry.name, 'README.md')),
)
const unlisted = folders.map(({ name }) => name).filter((name) => !listed.includes(name))
const chosen = process.argv.slice(2)
const names = [...new Set((chosen.length === 0 ? listed : chosen).flatMap(withNeeded))]

const failures = unlisted.map((name) => `examples/README.md does not name ${name}`)
const shell = await Shell.open()
shell.lend(join(EXAMPLES, '../python'), 'python')
if ('python' in FRAMEWORKS) shell.lend(join(dirname(FRAMEWORKS.python), '..'), 'examples/hugging-face/venv')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void shell.close().finally(() => process.exit(130)))
const begun = performance.now()
try {
  await tryExample('a control plane and a gateway', index)
  for (const name of failures.length > unlisted.length ? [] : names) {
    const absent = ABSENT[name]
    if (absent === undefined) await tryExample(name, pageOf(name))
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

function linked(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map(([, name = '']) => name)
}

/** What it needs first. */
function withNeeded(name: string): readonly string[] {
  return [...(needs.get(name) ?? []).flatMap(withNeeded), name]
}

/** One that fails does not keep the others from being tried. */
async function tryExample(name: string, page: string): Promise<void> {
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
