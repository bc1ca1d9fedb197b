// The S3 server that the tests run against. "node tools/object-storage/main.ts build" builds it with Go, once, outside of the checkout: no
// part of the tests, since it takes minutes. "path" prints where it is, or would be.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

const VERSION = 'v1.8.0'

// The home is that of the account: tests have another one in their environment.
const program = process.env['IRONLAW_TEST_S3_SERVER'] ?? join(userInfo().homedir, '.cache/ironlaw', `versitygw-${VERSION}`, 'versitygw')

if (process.argv[2] === 'build' && !existsSync(program)) {
  mkdirSync(dirname(program), { recursive: true })
  execFileSync('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`], {
    env: { ...process.env, GOBIN: dirname(program) },
    stdio: 'inherit',
  })
}
process.stdout.write(`${program}\n`)
