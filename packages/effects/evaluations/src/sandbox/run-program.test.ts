// Programs that mean harm, in the real sandbox. What they try must fail, and must leave nothing.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSandbox } from './open-sandbox.ts'
import { type ProgramOutcome, runProgram, type Sandbox } from './run-program.ts'

const least = {
  apiVersion: 'ironlaw/v1',
  kind: 'Evaluate',
  name: 'code',
  items: { file: 'i' },
  task: 'program',
  engine: { url: 'http://a' },
}
const sandboxOf = async (change: object = {}): Promise<Sandbox> =>
  await openSandbox(
    parseEvaluateSpec({ ...least, sandbox: { time: '5 s', memory: '256 MB', processes: 8, output: '100 kB', ...change } }, 's').sandbox,
  )

const isAbsent = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status !== 0

describe.skipIf(isAbsent)('in a sandbox', { timeout: 60_000 }, () => {
  let sandbox: Sandbox
  beforeAll(async () => (sandbox = await sandboxOf()))
  const run = async (program: string, tests = ''): Promise<ProgramOutcome> =>
    await runProgram(sandbox, { program, tests: `pass\n${tests}` })

  test.each([
    ['a right answer', 'def add(a, b):\n    return a + b', 'passed'],
    ['a wrong one', 'def add(a, b):\n    return a - b', 'failed'],
    ['one that is no Python', 'def add(a, b:', 'failed'],
    ['one that leaves before the tests', 'def add(a, b): return 0\nraise SystemExit(0)', 'failed'],
    ['one that leaves by a call of the system', 'import os\nos._exit(0)', 'failed'],
    ['one that leaves within a test', 'import os\ndef add(a, b): os._exit(0)', 'failed'],
    ['one that says that it passed', 'import os\nos.write(4, b"0" * 32)\nos._exit(0)', 'failed'],
    ['one that goes on for ever', 'def add(a, b):\n    while True: pass', 'timed-out'],
    [
      'one that sleeps, and lets others sleep',
      'import os, time\nos.fork()\nos.setsid() if os.getpid() != 2 else 0\ntime.sleep(1000)',
      'timed-out',
    ],
    ['endless output', 'while True: print("x" * 1000)', 'printed-too-much'],
    ['endless errors', 'import os\nwhile True: os.write(2, b"x" * 1000)', 'printed-too-much'],
    ['a dataclass', 'import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: "int"\ndef add(a, b): return P(a).x + b', 'passed'],
  ])('%s', async (_, program, ended) => {
    const quick = { ...sandbox, limits: { ...sandbox.limits, time_s: ended === 'timed-out' ? 1 : 20 } }
    expect((await runProgram(quick, { program, tests: 'assert add(2, 3) == 5' })).ended).toBe(ended)
  })

  test('processes, memory, files and shared memory have an end', async () => {
    const forked = await run(
      'import os, time\nmade = 0\ntry:\n    while made < 1000:\n        if os.fork() == 0:\n            time.sleep(100); os._exit(0)\n        made += 1\nexcept OSError: pass',
      'assert 1 <= made < 8, made',
    )
    expect(forked).toEqual({ ended: 'passed', errors: '' })
    expect((await run('data = bytearray(10 ** 9)')).errors).toContain('MemoryError')
    expect((await run('parts = []\nwhile True: parts.append(bytearray(10 ** 6))')).errors).toContain('MemoryError')
    expect((await run('for i in range(20):\n    open(f"/scratch/{i}", "wb").write(bytes(10 ** 7))')).errors).toContain('No space left')
    expect((await run('for i in range(20):\n    open(f"/dev/shm/{i}", "wb").write(bytes(10 ** 7))')).errors).toContain('No space left')
    expect((await run('import os\nos.memfd_create("a")')).errors).toContain('PermissionError')
    const segment = 'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nmade = libc.shmget(0, 10 ** 8, 0o1600)'
    expect((await run(segment, 'assert made == -1 and ctypes.get_errno() == 1')).ended).toBe('passed')
  })

  test('a fork bomb that never stops ends with its time, and all of it', async () => {
    const bomb = 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'
    // The size is written in the arguments of the first process, with which all others end.
    const memory_bytes = 60_000_000 + (process.pid % 1_000_000)
    const quick = { ...sandbox, limits: { ...sandbox.limits, time_s: 1, memory_bytes } }
    expect((await runProgram(quick, { program: bomb, tests: 'pass' })).ended).toBe('timed-out')
    expect(spawnSync('pgrep', ['-f', `bwrap.* --size ${memory_bytes} `]).stdout.toString()).toBe('')
  })

  describe('the machine', () => {
    const secret = 'key-that-nobody-may-read'
    let folder = ''
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'ironlaw-secret-'))
      writeFileSync(join(folder, 'key'), secret, { mode: 0o644 })
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    const opens = async (path: string): Promise<string> => (await run(`open(${JSON.stringify(path)}).read()`)).errors

    test('files of the system, of homes and of others are not there', async () => {
      for (const path of ['/etc/shadow', '/etc/passwd', '/etc/hostname', homedir(), '/root', '/home', '/var', join(folder, 'key')])
        expect(await opens(path)).toContain('No such file')
      const listed = await run('import os', 'assert sorted(os.listdir("/tmp")) == [], os.listdir("/tmp")')
      expect(listed.ended).toBe('passed')
    })

    test('a link out of the sandbox leads nowhere, and what is written stays inside', async () => {
      const links = `import os\nos.symlink(${JSON.stringify(join(folder, 'key'))}, "/scratch/a")\nos.symlink("/proc/1/root${folder}/key", "/scratch/b")`
      expect((await run(`${links}\nopen("/scratch/a").read()`)).errors).toContain('No such file')
      expect((await run(`${links}\nopen("/scratch/b").read()`)).errors).toMatch(/No such file|PermissionError/)
      const path = join(folder, 'written')
      expect(
        (await run(`import os\nos.makedirs(${JSON.stringify(folder)}, exist_ok=True)\nopen(${JSON.stringify(path)}, "w")`)).ended,
      ).toBe(
        // Beneath /tmp, which is the program's own directory.
        'passed',
      )
      expect(existsSync(path)).toBe(false)
      for (const place of ['/usr/x', '/x', '/dev/x', '/bin/x', '/proc/sys/kernel/hostname'])
        expect((await run(`open("${place}", "w").write("x")`)).errors).toMatch(/Read-only file system|PermissionError/)
      expect(readFileSync(join(folder, 'key'), 'utf8')).toBe(secret)
    })

    test('the environment holds no key, not even that of the first process', async () => {
      process.env['IRONLAW_KEY'] = secret
      try {
        const looked = await run(
          'import os, glob\nall = str(os.environ)\nfor name in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):\n    try: all += open(name, errors="replace").read()\n    except OSError: pass',
          `assert ${JSON.stringify(secret.slice(0, 8))} + ${JSON.stringify(secret.slice(8))} not in all`,
        )
        expect(looked).toEqual({ ended: 'passed', errors: '' })
      } finally {
        delete process.env['IRONLAW_KEY']
      }
    })

    test('no network: neither a port of this machine nor an address outside', async () => {
      let callers = 0
      const server = createServer(() => (callers += 1))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      try {
        expect((await run(`import socket\nsocket.create_connection(("127.0.0.1", ${port}), 1)`)).errors).toContain('ConnectionRefusedError')
        expect((await run('import socket\nsocket.create_connection(("192.0.2.1", 80), 1)')).errors).toContain('Network is unreachable')
        const listed = await run('import socket', 'assert [name for _, name in socket.if_nameindex()] == ["lo"]')
        expect(listed.ended).toBe('passed')
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
      expect(callers).toBe(0)
    })

    test('processes of others are not seen and cannot be killed; no right can be regained', async () => {
      expect((await run(`import os\nos.kill(${process.pid + 100_000}, 9)`)).errors).toContain('ProcessLookupError')
      const seen = await run('import os', 'assert {int(p) for p in os.listdir("/proc") if p.isdigit()} <= {1, 2}')
      expect(seen).toEqual({ ended: 'passed', errors: '' })
      expect((await run('import os\nos.kill(-1, 9)')).ended).not.toBe('passed')
      const rights = 'import os\nstatus = open("/proc/self/status").read()'
      expect((await run(rights, 'assert "CapEff:\\t0000000000000000" in status and os.getuid() == 65534')).ended).toBe('passed')
      expect((await run('import os\nos.setuid(0)')).errors).toMatch(/PermissionError|Invalid argument/)
      const nested = 'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nmade = libc.unshare(0x10000000)'
      expect((await run(nested, 'assert made == -1')).ended).toBe('passed')
      expect((await run('import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))')).errors).toContain('not allowed to raise')
    })
  })

  test.each([
    [{ interpreter: '/usr/bin/python-that-is-not-there' }, 'is not a Python that answers'],
    [{ interpreter: '/usr/bin/true' }, 'is not a Python that answers'],
    [{ memory: '1 MB' }, 'programs cannot be run in a sandbox here'],
  ])('%j is refused before anything is asked', async (change, reason) => {
    await expect(sandboxOf(change)).rejects.toThrow(reason)
  })
})

test('without bubblewrap it is refused, by its name', async () => {
  const interpreter = { path: '/usr/bin/python3', version: 'x', packages: 'x', folders: [] }
  const limits = { time_s: 5, memory_bytes: 1e8, processes: 4, output_bytes: 1000 }
  const sandbox = { interpreter, limits, command: '/nowhere/bwrap' }
  await expect(runProgram(sandbox, { program: '', tests: '' })).rejects.toThrow('bubblewrap (bwrap) is not installed')
})
