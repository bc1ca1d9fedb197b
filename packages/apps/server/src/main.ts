#!/usr/bin/env node
// The control plane as a process: `ironlaw up` starts it. Flags before environment before defaults for one machine.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { auditTargets } from '@ironlaw/control/audit-target'
import { lineageTarget } from '@ironlaw/control/lineage-target'
import { IronlawError, secureDatabaseUrl } from '@ironlaw/contracts'
import { parseOptions, readFlags } from '@ironlaw/contracts/program-flags'
import { SERVER_FLAGS } from '@ironlaw/contracts/programs'
import type { Executor, JobUsers } from '@ironlaw/executors'
import { localExecutor } from '@ironlaw/executors/local'
import { slurmExecutor } from '@ironlaw/executors/slurm'
import { openAuthority } from '@ironlaw/certificates'
import { apiCertificate } from './api-certificate.ts'
import { slurmRestExecutor, type TokenSource } from '@ironlaw/executors/slurm-rest'
import { keepConsoleBuilt } from './console-build.ts'
import { databaseError } from './database-error.ts'
import { runProgram } from './engine-edge.ts'
import { readNetworks } from './networks.ts'
import { type JobUserOptions, readJobUsers } from './job-users.ts'
import { refusePortInUse } from './port-in-use.ts'
import { serverLog } from './server-log.ts'
import { readSignIn } from './sign-in-flags.ts'
import { readSiteDevices } from './site-devices.ts'
import { CONSOLE_SOURCE, type Server, startServer } from './start-server.ts'

const HOME = join(homedir(), '.ironlaw')
const PYTHON_SDK = resolve(import.meta.dirname, '../../../../python')

const HIGHEST_PORT = 65_535

/** The command that every installation of Slurm's clients has. */
const SUBMIT = 'sbatch'

/** EX_TEMPFAIL of sysexits.h: a supervisor may start it again at once. */
const EXIT_TEMPFAIL = 75

type Flags = ReturnType<typeof readServerFlags>

function readServerFlags() {
  const { values } = parseArgs({ options: parseOptions(SERVER_FLAGS) })
  const flags = readFlags(SERVER_FLAGS, { command: 'up', values, environment: process.env })
  const { database = join(HOME, 'database'), runs = join(HOME, 'runs'), logs = join(HOME, 'logs') } = flags
  const context = flags['context-file'] ?? flags.context ?? process.env['IRONLAW_CONTEXT'] ?? join(HOME, 'context.json')
  return { ...flags, database, runs, logs, context }
}

await runProgram(async () => {
  const flags = readServerFlags()
  try {
    await start(flags)
  } catch (cause) {
    throw databaseError(cause, flags.database) ?? cause
  }
})

async function start(flags: Flags): Promise<void> {
  const listen = listenAddress(flags.listen)
  // Before the database is opened, which takes seconds.
  await refusePortInUse(listen)
  const signIn = readSignIn(flags, listen)
  const jobs = readJobUsers(flags)
  const executor = executorOf(flags, jobs)
  const context = resolve(flags.context)
  const file = resolve(flags['log-file'] ?? join(dirname(context), 'control-plane.log'))
  const closing = new AbortController()
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  const site = flags['no-console-build'] ? undefined : keepConsoleBuilt({ source: CONSOLE_SOURCE, tell, signal: closing.signal })
  const { url: database, warning } = secureDatabaseUrl(flags.database)
  if (warning !== undefined) tell(`warning: ${warning}`)
  const authority = () => openAuthority(resolve(flags.authority ?? join(dirname(context), 'authority')))
  const tls = await apiCertificate(flags, { host: listen.host, api: flags.api, authority, tell })
  const server = await startServer({
    ...(site && { console: site }),
    ...(signIn && { signIn }),
    ...(tls && { tls }),
    ...jobs,
    authority,
    database,
    listen,
    trustedProxies: readNetworks(flags['trusted-proxy'] ?? ''),
    auditTargets: auditTargets(flags['audit-to'] ?? '', tokenForAudit()),
    ...(flags.openlineage !== undefined && { lineageTarget: lineageTarget(flags.openlineage, process.env['IRONLAW_OPENLINEAGE_TOKEN']) }),
    executor,
    cluster: flags.executor,
    site: {
      runs: resolve(flags.runs),
      python: flags.python,
      pythonPath: PYTHON_SDK,
      ...(flags.accelerators !== undefined && { accelerators: readSiteDevices(resolve(flags.accelerators)) }),
      ...(flags['require-signature'] !== undefined && { requireSignature: resolve(flags['require-signature']) }),
      ...(flags.api !== undefined && { api: flags.api }),
    },
    logDirectory: resolve(flags.logs),
    contextFile: context,
    secretsKey: resolve(flags['secrets-key'] ?? join(dirname(context), 'secrets.key')),
    artifacts: artifactStorage(flags.artifacts ?? join(dirname(context), 'artifacts')),
    logTo: serverLog({ file, verbose: flags.verbose, terminal: process.stderr }),
    giveUp: (problem) => {
      process.stderr.write(`${problem}\nThe process exits so that its supervisor restarts it; jobs and replicas keep running.\n`)
      process.exit(EXIT_TEMPFAIL)
    },
  })
  // Before a client can learn that the server listens, and stop it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      closing.abort()
      void server.close()
    })
  // Only the user who typed the command reads a terminal; any other output may be kept as a log, where a login code does not belong.
  const link = process.stdout.isTTY ? await server.loginLink() : undefined
  process.stdout.write(greeting(server, file, link))
  const seen = await executor.capacity()
  if (seen.answer === 'unreachable')
    process.stderr.write(`warning: the executor "${flags.executor}" does not answer: ${seen.reason}; runs wait until it does\n`)
}

function greeting({ address, console: page, context }: Server, file: string, link: string | undefined): string {
  return [
    `listening on ${address}`,
    `  console  ${link ?? page ?? 'not built (--no-console-build)'}`,
    ...(page === undefined
      ? []
      : [
          `           ${link === undefined ? '' : 'this link works once, within five minutes; '}"ironlaw console" prints a link that is logged in`,
        ]),
    `  token    in ${context.file}, where the other commands find it`,
    ...(context.current === context.name
      ? []
      : [`  context  ${context.name}; commands go to "${context.current}" unless you run "ironlaw context use ${context.name}"`]),
    `  log      ${file}`,
    '  next     ironlaw apply FILE, ironlaw get; Ctrl-C stops the control plane, never the jobs',
    '',
  ].join('\n')
}

/** Jobs on other machines are told it, so it must not depend on where this process was started. */
function artifactStorage(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : resolve(url)
}

function tokenForAudit(): { readonly token?: string } {
  const token = process.env['IRONLAW_AUDIT_TOKEN']
  return token ? { token } : {}
}

function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (host === '' || Number(port) > HIGHEST_PORT) throw usage(`--listen ${text}: expected HOST:PORT, such as 127.0.0.1:7600`)
  return { host, port: Number(port) }
}

function executorOf(flags: Flags, { jobUsers }: JobUserOptions): Executor {
  const { executor: name, nodes: count, slots, devices, runs } = flags
  const environment = inheritedEnvironment(['PATH', 'HOME', 'LANG', 'SLURM_CONF'])
  const users = jobUsers && { users: jobUsers }
  if (name === 'slurm') {
    if (!isOnPath(SUBMIT)) throw new IronlawError('IL_NO_SLURM', { command: SUBMIT })
    return slurmExecutor({ environment, ...users, ...partitionsOf(flags) })
  }
  if (name === 'slurm-rest') return restExecutorOf(flags, jobUsers)
  if (name !== 'local') throw usage(`--executor ${name}: known are local, slurm and slurm-rest`)
  const nodes = Array.from({ length: count }, (_, index) => `n${index + 1}`)
  return localExecutor({
    directory: join(resolve(runs), '.local-executor'),
    environment,
    ...users,
    fleet: { nodes, slots, ...(devices !== undefined && { devices: localDevices(devices) }) },
  })
}

function isOnPath(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => directory !== '' && existsSync(join(directory, command)))
}

/** Accelerators may be in partitions of their own, whose nodes must be seen for a run to be placed there. */
function partitionsOf({ partition, accelerators }: Flags): { readonly partition?: string; readonly otherPartitions?: readonly string[] } {
  if (partition === undefined) return {}
  const named = accelerators === undefined ? [] : readSiteDevices(resolve(accelerators)).flatMap((device) => device.partition ?? [])
  return { partition, otherPartitions: [...new Set(named)].filter((name) => name !== partition) }
}

function localDevices(text: string): { readonly kind: string; readonly perNode: number } {
  const [, kind = '', count = ''] = /^([A-Za-z]\w*(?::[\w.-]+)?):(\d{1,4})$/.exec(text) ?? []
  if (kind === '') throw usage(`--devices ${text}: expected KIND:COUNT such as gpu:rtx-4090:1`)
  return { kind, perNode: Number(count) }
}

/** Jobs run as the named user on machines that need not be like this one: neither its HOME nor its PATH is theirs. */
function restExecutorOf(flags: Flags, users: JobUsers | undefined): Executor {
  const { 'slurm-api': api, 'slurm-user': user, 'slurm-token-file': tokenFile, 'slurm-ca': ca } = flags
  if (api === undefined || user === undefined || tokenFile === undefined) {
    throw usage('--executor slurm-rest needs --slurm-api URL, --slurm-user NAME and --slurm-token-file FILE')
  }
  if (!URL.canParse(api)) throw usage(`--slurm-api ${api}: expected a URL such as http://127.0.0.1:6820`)
  if (ca !== undefined && !api.startsWith('https:')) throw usage(`--slurm-ca is for an address with https, and --slurm-api is ${api}`)
  if (ca !== undefined && !existsSync(ca)) throw usage(`--slurm-ca ${ca}: there is no such file`)
  const environment = inheritedEnvironment(['LANG', 'SLURM_CONF'])
  const authority = ca !== undefined && { caFile: resolve(ca) }
  const own = { api, user, tokenFile: resolve(tokenFile), environment, ...authority, ...partitionsOf(flags) }
  return slurmRestExecutor(users ? { ...own, users, tokens: tokenSourceOf(flags) } : own)
}

function tokenSourceOf({ 'slurm-jwt-key': keyFile, 'slurm-token-command': command }: Flags): TokenSource {
  if (keyFile !== undefined) return { keyFile: resolve(keyFile) }
  if (command !== undefined) return { command }
  throw usage(
    '--job-users with --executor slurm-rest needs --slurm-jwt-key FILE or --slurm-token-command COMMAND, for the tokens of the users',
  )
}

function usage(problem: string): IronlawError {
  return new IronlawError('IL_USAGE', { problem, command: 'up' })
}

/** What jobs may see of this process: nothing that was not named here. */
function inheritedEnvironment(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])))
}
