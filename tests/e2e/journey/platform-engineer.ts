// A platform engineer runs training on one machine and on Slurm, kills what runs, and operates the control plane: section 1b of the audit, and of
// section 3 what an installation needs. The mistakes of section 4 are in tests/mistakes (`npm run mistakes`); a node that dies under a run on Slurm
// is in `npm run e2e:training`.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTestbed } from '../../../tools/testbed/testbed.ts'
import { processesOf } from '../../mistakes/files.ts'
import { Shell } from '../terminal/shell.ts'
import type { Journey, Stumble } from './journey.ts'

const ROOT = join(import.meta.dirname, '../../..')
const API = 'http://127.0.0.1:7600'
const UP = { command: 'npx ironlaw up &', prints: [`listening on ${API}`, `console ${API}/console/`, '...', 'next ironlaw apply FILE...'] }
const APPLY = 'npx ironlaw apply examples/reference-trainer/first.yaml --with examples/reference-trainer/fleet.yaml -y --detach'

/** Knows nothing of models or steps. */
const JOB = ['apiVersion: ironlaw/v1', 'kind: Job', 'name: plain', 'command: echo ready; while [ ! -e done ]; do sleep 0.1; done', ''].join(
  '\n',
)
const ON_TWO_NODES = ['apiVersion: ironlaw/v1', 'kind: Job', 'name: hosts', 'command: hostname', 'resources: { nodes: 2 }', ''].join('\n')

const guide = (name: string): string => readFileSync(join(ROOT, 'docs/guides', `${name}.md`), 'utf8')
const files = (): string => execFileSync('git', ['-C', ROOT, 'ls-files'], { encoding: 'utf8' })
const SOURCES = ['packages/*/*/src', 'docs/guides', 'README.md']
const filesWith = (sentence: string): string =>
  spawnSync('git', ['-C', ROOT, 'grep', '--fixed-strings', '--name-only', '-e', sentence, '--', ...SOURCES], { encoding: 'utf8' }).stdout

const STARTED: readonly Stumble[] = [
  {
    at: '1b up',
    was: '"up" prints a line of JSON, and neither the console nor the next command',
    look: async ({ shell }) => {
      await shell.run(UP)
      return 'it listens'
    },
  },
  { at: '1b up', was: '/console/ asks for a token before it is built', look: `curl -s ${API}/console/`, shows: [/<!doctype html>/] },
  {
    at: '1b tokens',
    was: 'no health endpoint without a token',
    look: `curl -sf ${API}/healthz && curl -sf ${API}/readyz`,
    shows: [/ok/, /ready/],
  },
  {
    at: '3 files',
    was: 'any local user can change the database',
    look: ({ shell }) => (statSync(join(shell.home, '.ironlaw')).mode & 0o777).toString(8),
    shows: [/^700$/],
  },
]

const RECOVERED: readonly Stumble[] = [
  { at: '1b apply', was: 'a plan of a run is applied at once (kept)', look: APPLY, shows: [/first-\w+ +queued/] },
  {
    at: '1b get',
    was: 'LOSS and STEP TIME are always empty',
    look: (journey) => journey.until('npx ironlaw get first', /running +\d+\/60 +\d+\.\d+ +[\d.]+ m?s/),
    shows: [/LOSS +STEP TIME/],
  },
  { at: '1b get', was: 'ages are 2.36 min', look: 'npx ironlaw get first', shows: [/ (?:\d+m\d\d|\d+)s( |$)/m] },
  {
    at: '1b metrics',
    was: '/metrics says nothing of runs',
    look: `curl -s -H "Authorization: Bearer $(sed -n 's/.*"token": *"\\([^"]*\\)".*/\\1/p' ~/.ironlaw/context.json)" ${API}/metrics`,
    shows: [/^ironlaw_run_step_duration_seconds\{/m, /^ironlaw_run_loss\{/m],
  },
  {
    at: '1b kill',
    was: 'a rank that is killed starts again at step 0',
    look: async (journey) => {
      await journey.until('npx ironlaw describe first', /newest checkpoint at step [1-9]/)
      const ranks = processesOf(journey.shell).filter(({ command }) => command.includes('train.py'))
      spawnSync('kill', ['-9', String(ranks.at(-1)?.pid)])
      return journey.until('npx ironlaw events first', /goes on from the checkpoint of step/)
    },
    shows: [/rank-died/, /goes on from the checkpoint of step [1-9]/],
  },
  {
    at: '1b describe',
    was: 'events end in "at=1794779813.9 code=null tail="',
    look: 'npx ironlaw events first',
    lacks: [/ at=\d{10}/, / code=null/, / tail=(?: |$)/m],
  },
  {
    at: '1b cancel',
    was: '"cancel" answers "running"',
    look: 'npx ironlaw cancel first',
    shows: [/is being stopped/],
    lacks: [/ {2}running/],
  },
]

const ANY_PROGRAM: readonly Stumble[] = [
  {
    at: '1b own script',
    was: 'a script without the SDK needs a model',
    look: 'npx ironlaw apply plain.yaml -y --detach',
    shows: [/plain-\w+ +queued/],
  },
  {
    at: '1b own script',
    was: 'it is "starting" for all of its life',
    look: (journey) => journey.until('npx ironlaw get plain', / running /),
    lacks: [/no step yet/],
  },
  {
    at: '1b own script',
    was: 'its ledger says goodput 0 % and advises about images',
    look: async (journey) => {
      writeFileSync(join(journey.shell.folder, 'done'), '')
      await journey.until('npx ironlaw get plain', / succeeded /)
      return journey.printed('npx ironlaw ledger plain')
    },
    shows: [/running|other/],
    lacks: [/goodput 0\.0 %/, /images/],
  },
  {
    at: '1b SDK',
    was: 'no guide says "pip install ./python", and none keeps the optimizer',
    look: () => guide('training-with-the-sdk'),
    shows: [/pip install \.\/python/, /optimizer\.state_dict\(\)/],
  },
]

const OPERATED: readonly Stumble[] = [
  {
    at: '1b up',
    was: 'two lines of JSON in the terminal for every request',
    look: ({ shell }) => readFileSync(join(shell.home, '.ironlaw/control-plane.log'), 'utf8'),
    shows: [/incoming request/],
  },
  { at: '1b', was: 'there is no command for nodes', look: 'npx ironlaw get nodes', shows: [/^n1 /m] },
  { at: '1b', was: 'no command reads the file of "up --context"', look: 'npx ironlaw context list', shows: [/127\.0\.0\.1/] },
  {
    at: '1b tokens',
    was: '"revoke" takes no name',
    look: 'npx ironlaw token create ada --role viewer && npx ironlaw token revoke ada',
    shows: [/ada-\w+ is revoked/],
  },
  {
    at: '1b tokens',
    was: 'tokens do not expire',
    look: 'npx ironlaw token create --help',
    shows: [/expire/],
  },
  {
    at: '1b up',
    was: 'the example claims four cores, and nothing says that the machine has two',
    left: 'nodes of the local executor are places for processes, of which a machine may have more than cores; the run shows its step beside the prediction',
    look: 'npx ironlaw get nodes',
    shows: [/cores/],
  },
  {
    at: '4 no. 32',
    was: '"up" on a full disk ends in [object Object]',
    look: `mkdir full && unshare --mount bash -c 'mount -t tmpfs -o size=8m tmpfs full && HOME=$PWD/full npx ironlaw up --no-console-build --listen 127.0.0.1:0'`,
    exit: 1,
    shows: [/error IL_DISK_FULL: cannot write .*: the disk is full\n {2}next: free some space/],
    lacks: [/object Object/],
  },
]

const INSTALLED: readonly Stumble[] = [
  {
    at: '3 completion',
    was: 'file names no longer complete',
    look: 'npx ironlaw completion bash',
    shows: [/complete -o bashdefault -o default/],
  },
  {
    at: '3 TLS',
    was: 'nothing says that tokens travel in the clear',
    look: () => readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'),
    shows: [/Beyond loopback.*speak TLS/s],
  },
  {
    at: '3 container',
    was: 'no image, no unit file',
    left: 'they come with the first release, which fixes what an image holds and from where it is pulled',
    look: files,
    shows: [/Dockerfile|\.service$/m],
  },
  {
    at: '3 upgrade',
    was: 'not a sentence on backup and upgrade',
    left: 'there is no release to upgrade from; migrations are numbered, and the database is one directory or PostgreSQL',
    look: () => spawnSync('git', ['-C', ROOT, 'grep', '-il', 'backup', '--', 'docs/guides'], { encoding: 'utf8' }).stdout,
    shows: [/guides/],
  },
  ...[
    'not what the plan is of',
    'nobody is there to agree',
    'no valid token came with the request',
    'let it open nothing any more',
    'when it goes on without a replica of',
    'which the plan does not foresee',
    'Whom the others waited for',
    'Really cancel it',
    'leave open: a spec',
    'Times are set for people who wait',
  ].map((sentence): Stumble => ({ at: '5', was: `"${sentence}"`, look: () => filesWith(sentence), lacks: [/./] })),
]

const ON_SLURM: readonly Stumble[] = [
  {
    at: '1b Slurm',
    was: 'the guide does not say how to put Ironlaw on the testbed',
    look: () => guide('testbed'),
    shows: [/ironlaw up --executor slurm --database "\$DATABASE_URL"/],
  },
  { at: '1b Slurm', was: 'a job runs on the nodes of the cluster (kept)', look: onSlurm, shows: [/succeeded/] },
]

/** By the commands of the guide, in a terminal of its own: the other control plane keeps its address. */
async function onSlurm(): Promise<string> {
  const [testbed, shell] = await Promise.all([startTestbed({ nodes: 2 }), Shell.open()])
  try {
    await shell.run({ command: `export SLURM_CONF=${testbed.slurmConf}`, prints: [] })
    writeFileSync(join(shell.folder, 'hosts.yaml'), ON_TWO_NODES)
    const command = `npx ironlaw up --executor slurm --database ${testbed.pgUrl} &`
    await shell.run({ command, prints: [`listening on ${API}`] })
    return (await shell.tryCommand('npx ironlaw apply hosts.yaml -y')).output
  } finally {
    await shell.close()
    await testbed.stop()
  }
}

export async function platformEngineer(journey: Journey): Promise<void> {
  writeFileSync(join(journey.shell.folder, 'plain.yaml'), JOB)
  await journey.meets(...STARTED, ...RECOVERED, ...ANY_PROGRAM, ...OPERATED, ...ON_SLURM, ...INSTALLED)
}
