// Everything in the tree that is made from something else in the tree. With --check, says what is stale and changes nothing.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { accessPage } from './generators/access-page.ts'
import { apiPage } from './generators/api-page.ts'
import { cliPage } from './generators/cli-page.ts'
import { errorPage } from './generators/error-page.ts'
import { factBundle } from './generators/fact-bundle.ts'
import { rooflinePicture } from './generators/roofline-picture.ts'
import { leftOutFitsBundle } from './generators/left-out-fits.ts'
import { lawPages } from './generators/law-pages.ts'
import { reliabilityPage } from './generators/reliability-page.ts'
import { rowsBundles } from './generators/rows-bundle.ts'
import { scalingTables } from './generators/scaling-table.ts'
import { schemaPage } from './generators/schema-page.ts'
import { servingRunsBundle } from './generators/serving-runs-bundle.ts'
import { servingTables } from './generators/serving-tables.ts'
import { siliconBundle } from './generators/silicon-bundle.ts'
import { mistakePage } from './generators/mistake-page.ts'
import { modelBundle } from './generators/model-bundle.ts'
import { validationPage } from './generators/validation-page.ts'

const ROOT = join(import.meta.dirname, '..')
const check = process.argv.includes('--check')

const generated = [
  ...factBundle(),
  ...modelBundle(),
  ...siliconBundle(),
  ...rowsBundles(),
  ...servingRunsBundle(),
  ...leftOutFitsBundle(),
  ...schemaPage(),
  ...(await lawPages()),
  ...errorPage(),
  ...mistakePage(),
  ...cliPage(),
  ...accessPage(),
  ...(await apiPage()),
  ...rooflinePicture(),
  ...validationPage(),
  ...servingTables(),
  ...scalingTables(),
  ...reliabilityPage(),
]
const orphans = readdirSync(join(ROOT, 'docs/laws'))
  .map((name) => `docs/laws/${name}`)
  .filter((path) => !generated.some((made) => made.path === path))
const stale = generated.filter(({ path, content }) => !existsSync(join(ROOT, path)) || readFileSync(join(ROOT, path), 'utf8') !== content)

for (const { path } of stale) console.log(`${check ? 'stale' : 'written'}: ${path}`)
for (const path of orphans) console.log(`${check ? 'orphan' : 'removed'}: ${path}`)

if (check) {
  process.exitCode = stale.length + orphans.length === 0 ? 0 : 1
} else {
  for (const { path, content } of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), content)
  }
  for (const path of orphans) rmSync(join(ROOT, path))
}
console.log(`generate: ${generated.length} files, ${stale.length} ${check ? 'stale' : 'written'}`)

// Pages are made from bundles that this process had already read: once a bundle is written, a fresh process makes its pages.
if (!check && stale.some(({ path }) => path.endsWith('.generated.json')))
  process.exitCode = spawnSync(process.execPath, [import.meta.filename], { stdio: 'inherit' }).status ?? 1
