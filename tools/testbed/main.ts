// `npm run testbed`: the testbed from a shell. docs/guides/testbed.md shows what each command is for.

import { parseArgs } from 'node:util'
import type { Devices } from './state.ts'
import { SERVICES, type Service, type Testbed, everyTestbed, openTestbed, removeLitter, startTestbed } from './testbed.ts'

const USAGE = `npm run testbed -- COMMAND [--dir DIR]

  up [--nodes 4] [--owner PID] [--json]     PostgreSQL and a Slurm cluster; removed with the owner's death, else by "down"
  up --rest                                 with Slurm's REST API and a token for it
  up --devices h100:4                       with 4 accelerators on each node that Slurm counts as gpu:h100
  status                                    every testbed in the temporary folder, or the one in DIR
  down                                      the one in DIR, or the only one
  down --all                                every testbed whose owner is dead
  kill-node n2                              power loss: slurmd, step daemons and all processes of jobs on n2
  kill-slurmd n2                            the daemon alone; the job on n2 lives on
  restore-node n2                           slurmd again, after either
  stop|start|restart SERVICE                slurmctld, slurmrestd or postgres
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string' },
    nodes: { type: 'string', default: '4' },
    owner: { type: 'string' },
    rest: { type: 'boolean', default: false },
    devices: { type: 'string' },
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const [command = 'help', target = ''] = positionals

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  up,
  status,
  down,
  'kill-node': () => chosenTestbed().killNode(target),
  'kill-slurmd': () => chosenTestbed().killSlurmd(target),
  'restore-node': () => chosenTestbed().restoreNode(target),
  stop: () => chosenTestbed().stopService(service()),
  start: () => chosenTestbed().startService(service()),
  restart: async () => {
    await chosenTestbed().stopService(service())
    await chosenTestbed().startService(service())
  },
}

async function up(): Promise<void> {
  const owner = values.owner === undefined ? null : Number(values.owner)
  const options = { nodes: Number(values.nodes), dir: values.dir, rest: values.rest, devices: devicesIn(values.devices), owner }
  const { dir, nodes, pgUrl, slurmConf, rest } = await startTestbed(options)
  if (values.json) return console.log(JSON.stringify({ dir, nodes, pgUrl, slurmConf, rest }))
  console.log(`${nodes.length} nodes in ${dir}\nexport SLURM_CONF=${slurmConf}\nexport DATABASE_URL=${pgUrl}`)
  if (rest) console.log(`--slurm-api ${rest.url} --slurm-user ${rest.user} --slurm-token-file ${rest.tokenFile}`)
}

function devicesIn(text: string | undefined): Devices | undefined {
  if (text === undefined) return undefined
  const [, model = '', count = ''] = /^([\w.-]+):([1-9]\d?)$/.exec(text) ?? []
  if (model === '') throw new Error(`--devices ${text}: expected MODEL:COUNT such as h100:4`)
  return { model, perNode: Number(count) }
}

async function status(): Promise<void> {
  const testbeds = values.dir === undefined ? everyTestbed() : [openTestbed(values.dir)]
  if (testbeds.length === 0) console.log('no testbed is up')
  for (const testbed of testbeds) console.log([testbed.dir, ...(await testbed.status())].join('\n  '))
}

async function down(): Promise<void> {
  if (!values.all) return chosenTestbed().stop()
  for (const dir of await removeLitter()) console.log(`removed ${dir}`)
}

function chosenTestbed(): Testbed {
  if (values.dir !== undefined) return openTestbed(values.dir)
  const [only, ...others] = everyTestbed()
  if (only === undefined) throw new Error('no testbed is up; start one with "npm run testbed -- up"')
  if (others.length > 0) throw new Error(`several testbeds are up; say --dir ${[only, ...others].map(({ dir }) => dir).join(' or ')}`)
  return only
}

function service(): Service {
  const found = SERVICES.find((name) => name === target)
  if (found === undefined) throw new Error(`"${target}" is not one of ${SERVICES.join(', ')}`)
  return found
}

const action = values.help ? undefined : COMMANDS[command]
if (action === undefined) {
  console.log(USAGE)
  process.exitCode = values.help || command === 'help' ? 0 : 1
} else {
  await action()
}
