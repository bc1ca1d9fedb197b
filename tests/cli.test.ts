// The command line as a person meets it: exit statuses, errors that say what to do next, JSON in the documented shape.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ERRORS } from '@ironlaw/contracts'
import { afterAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const FIXTURES = join(ROOT, 'tests/fixtures')
const SIGNED_MODEL = join(ROOT, 'packages/effects/artifacts/src/signing/signed-model.fixture')

function ironlaw(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(ROOT, 'packages/apps/cli/src/main.ts'), ...args], { cwd: FIXTURES, encoding: 'utf8' })
}

describe('exit statuses and messages', () => {
  test.each([
    [['law', 'reliability/young-dale'], 'IL_UNKNOWN_LAW', 'did you mean reliability/young-daly'],
    [['law', 'nothing-like-it'], 'IL_UNKNOWN_LAW', 'run "ironlaw law"'],
    [['law', 'reliability/young-daly', '--write-time', '120', '--mtbf', '4h'], 'IL_QUANTITY', 'has no unit'],
    [['law', 'reliability/young-daly', '--write-time', '2 GB', '--mtbf', '4h'], 'IL_QUANTITY', '"GB" is not a unit'],
    [['law', 'reliability/young-daly', '--write-time', '2min'], 'IL_USAGE', 'also needs --mtbf [s]'],
    [['law', 'reliability/young-daly', '--wriet-time', '2min'], 'IL_USAGE', 'has no input --wriet-time'],
    [['law', 'reliability/young-daly', '--write-time'], 'IL_USAGE', '--write-time has no value'],
    [['catalog', 'h100-sxn'], 'IL_UNKNOWN_ENTRY', 'h100-sxm'],
    [['catalog', 'h100-sxm', '--against', 'b2000'], 'IL_UNKNOWN_ENTRY', 'b200'],
    [['catalog', 'h100-sxm', '--with', 'nowhere.yaml'], 'IL_FILE', 'nowhere.yaml'],
    [['catalog', 'h100-sxm', '--with', 'wrong-fleet.yaml'], 'IL_FACT', 'accelerators.h100-sxm.memory.capacity'],
    [['model', 'Llama-3.1-7B'], 'IL_UNKNOWN_MODEL', 'meta-llama/Llama-3.1-8B'],
    [['model', 'broken.json'], 'IL_CONFIG', 'num_attention_heads'],
    [['model', 'Llama-3.1-8B', '--batch', '0'], 'IL_QUANTITY', 'at least 1'],
    [['explain', 'roofline', '--model', 'gpt2', '--on', 'v100', '--precision', 'fp8'], 'IL_USAGE', 'no published dense peak in fp8'],
    [['completion', 'tcsh'], 'IL_USAGE', 'bash, zsh or fish'],
    [['profile', 'applicants.jsonl', '--columns', 'incme'], 'IL_USAGE', 'did you mean income?'],
    [['diff', './config.json', './config.json'], 'IL_DOCUMENT', './config.json: rows: '],
    [['whatif', 'train.yaml', '--set', 'fleet.link=fast'], 'IL_USAGE', 'is not a range'],
    [['plan', 'diff', 'config.json', 'after.plan.json'], 'IL_DOCUMENT', 'it holds neither a training spec nor a training plan'],
    [['plan', 'diff', 'train.yaml', 'illegal-train.yaml'], 'IL_USAGE', 'illegal-train.yaml has no plan to compare: no legal strategy'],
    [['simulate', 'run', 'config.json'], 'IL_DOCUMENT', 'it holds no training plan'],
    [['plan', 'config.json'], 'IL_SPEC', 'plan it with "ironlaw plan --model config.json'],
    [['plan', '--model', 'Llama-3.1-8B', '--tokns', '1T'], 'IL_USAGE', 'did you mean --tokens? "ironlaw plan --help" lists the options'],
    [['plan', 'trian.yaml'], 'IL_FILE', 'did you mean train.yaml?'],
    [['plan', 'train.yaml', '--tokens', '15.6TB'], 'IL_QUANTITY', '--tokens: "TB" is not a unit of tokens'],
    [['plan', 'syntax-train.txt'], 'IL_DOCUMENT', 'line 4, column'],
    [['plan', 'train.yaml', '--region', 'mars'], 'IL_UNKNOWN_ENTRY', 'no grid "mars"'],
    [['plan', 'train.yaml', '--gpus', 'abc'], 'IL_QUANTITY', '--gpus: "abc" is not a whole number of at least 1, such as 8'],
    [['plan', 'train.yaml', '--batch', '4M'], 'IL_QUANTITY', 'Did you mean "4M tokens"?'],
    [['plan', 'train.yaml', '--batch', '4000000'], 'IL_SPEC', 'are 32.8B tokens in one step; did you mean "4M tokens"?'],
    [['plan', 'train.yaml', '--sequence', '8kB'], 'IL_QUANTITY', 'such as 8192, or 8k (8,192)'],
    [['plan', 'train.yaml', '--tokens', '300'], 'IL_SPEC', 'did you mean "300B tokens"?'],
    [['plan', 'train.yaml', '--link', '100GB'], 'IL_QUANTITY', '"GB" is not a unit of bandwidth; write for example "400 Gb/s"'],
    [['plan', 'train.yaml', '--link', 'ethernet-101'], 'IL_UNKNOWN_ENTRY', 'ethernet-100'],
    [['plan', 'train.yaml', '--link', 'nvlink-4'], 'IL_SPEC', 'NVLink 4 joins accelerators inside a node'],
    [['plan', 'before.plan.json'], 'IL_SPEC', 'this is a plan, not a spec'],
    [
      ['plan', '--model', 'resnet-50', '--gpus', '8', '--on', 'h100-sxm', '--tokens', '1B'],
      'IL_SPEC',
      'is not an autoregressive language model',
    ],
    [['plan', 'train.yaml', '--on', 'a100-80gb-sxm', '--precision', 'fp8'], 'IL_SPEC', 'no published dense peak in fp8; it has'],
    [['evaluate', 'compare', 'evaluations/before', 'evaluations'], 'IL_FILE', 'evaluations/evaluation.json'],
    [['evaluate', 'compare', 'evaluations/before', 'evaluations/after', '--margin', '2'], 'IL_QUANTITY', '--margin: "2" is not a share'],
    [['evaluate', 'run', 'train.yaml'], 'IL_SPEC', 'kind: expected "Evaluate", found "Train"'],
    [['plan'], 'IL_USAGE', 'without a spec file --model, --gpus, --on, --tokens must be given'],
    [['plan', 'wrong-train.yaml'], 'IL_SPEC', 'fleet.acelerator: unknown field; did you mean accelerator?'],
    [['plan', 'train.yaml', '--export', 'jax'], 'IL_USAGE', 'megatron, torchtitan, deepspeed, axolotl, slurm'],
    [
      ['plan', '--model', 'Llama-3.1-8B', '--gpus', '8', '--on', 'h100-sxm', '--tokens', '1T', '--runtime', 'megatron'],
      'IL_SPEC',
      'unknown runtime "megatron"',
    ],
  ] as const)('%j', (args, code, text) => {
    const plain = ironlaw(...args)
    expect(plain).toMatchObject({ status: 1, stdout: '' })
    expect(plain.stderr).toContain(code)
    expect(plain.stderr).toContain(text)
    expect(plain.stderr).toContain('next:')
    const json = ironlaw(...args, '--json')
    if (code !== 'IL_USAGE') expect(JSON.parse(json.stderr)).toMatchObject({ error: { code } })
  })

  test.each([[['bogus']], [['law', 'check', '--bogus']], [['explain', 'roofline']], [['catalog', 'a', 'b', 'c']]])(
    'wrong usage %j is status 1',
    (args) => {
      expect(ironlaw(...args).status).toBe(1)
    },
  )

  test.each([[['--help']], [['--version']], [['law', '--help']], [['help', 'model']]])('%j is status 0', (args) => {
    expect(ironlaw(...args).status).toBe(0)
  })

  test('no colour when the output is not a terminal', () => {
    expect(ironlaw('catalog', 'h100-sxm').stdout).not.toContain('\u001B[')
  })
})

const DATASETS = mkdtempSync(join(tmpdir(), 'ironlaw-cli-'))
afterAll(() => rmSync(DATASETS, { recursive: true, force: true }))

describe('JSON', () => {
  const documented = new Map(
    [...readFileSync(join(ROOT, 'docs/reference/json.md'), 'utf8').matchAll(/^\| `(ironlaw [^`]+)` \| `(\{.*?\})`/gm)].map(
      ([, command = '', shape = '']) => [command, topKeys(shape)],
    ),
  )

  /** The keys of the outermost braces of `{ a, b: { c }, d? }`. */
  function topKeys(shape: string): string[] {
    let depth = 0
    const outer = [...shape].filter((letter) => {
      if ('{['.includes(letter)) depth += 1
      const keep = depth === 1
      if ('}]'.includes(letter)) depth -= 1
      return keep
    })
    return outer
      .join('')
      .replaceAll(/[{}[\]]/g, '')
      .split(',')
      .map((part) => part.split(':')[0]?.trim() ?? '')
  }

  test.each([
    ['ironlaw plan [file]', ['plan', 'train.yaml']],
    ['ironlaw plan --pareto', ['plan', 'train.yaml', '--pareto']],
    ['ironlaw plan --export <target>', ['plan', 'train.yaml', '--export', 'slurm']],
    ['ironlaw plan diff <before> <after>', ['plan', 'diff', 'before.plan.json', 'after.plan.json']],
    ['ironlaw whatif <file> --set <path=from..to>', ['whatif', 'train.yaml', '--set', 'fleet.count=256..512']],
    ['ironlaw plan <sweep spec>', ['plan', 'sweep.yaml']],
    ['ironlaw validate training', ['validate', 'training']],
    ['ironlaw simulate run <file>', ['simulate', 'run', 'before.plan.json', '--replicas', '20']],
    ['ironlaw simulate checkpoint-table', ['simulate', 'checkpoint-table']],
    ['ironlaw simulate rollout', ['simulate', 'rollout', '--replicas', '5']],
    ['ironlaw validate reliability', ['validate', 'reliability', '--replicas', '20']],
    ['ironlaw simulate serve [file]', ['simulate', 'serve', 'serve.yaml', '--requests', '500']],
    ['ironlaw plan <serving spec>', ['plan', 'serve.yaml']],
    ['ironlaw validate serving', ['validate', 'serving']],
    ['ironlaw law', ['law']],
    ['ironlaw law <domain>', ['law', 'reliability']],
    ['ironlaw law <id>', ['law', 'reliability/young-daly']],
    ['ironlaw law <id> --<input> ...', ['law', 'reliability/young-daly', '--write-time', '2min', '--mtbf=4h', '--explain']],
    ['ironlaw law check', ['law', 'check']],
    ['ironlaw catalog', ['catalog']],
    ['ironlaw catalog <kind>', ['catalog', 'links']],
    ['ironlaw catalog <id>', ['catalog', 'h100-sxm']],
    ['ironlaw catalog <id> --against <id>', ['catalog', 'h100-sxm', '--against', 'b200']],
    ['ironlaw catalog check', ['catalog', 'check']],
    ['ironlaw model', ['model']],
    ['ironlaw model <name>', ['model', 'DeepSeek-V3', '--operators']],
    ['ironlaw model check', ['model', 'check']],
    ['ironlaw data order', ['data', 'order', 'web=tokens/web:7', 'code=tokens/code:3']],
    ['ironlaw data plan <spec>', ['data', 'plan', 'data.yaml']],
    ['ironlaw data probe <spec>', ['data', 'probe', 'data.yaml']],
    ['ironlaw data build <spec>', ['data', 'build', 'data.yaml', '--to', join(DATASETS, 'corpus')]],
    ['ironlaw data worth [spec]', ['data', 'worth', 'train.yaml']],
    ['ironlaw data select <scores>', ['data', 'select', 'scores.jsonl', '--keep', '30 %', '--per-class', '8']],
    ['ironlaw validate alarms', ['validate', 'alarms', '--years', '1']],
    ['ironlaw validate gates', ['validate', 'gates', '--releases', '40']],
    ['ironlaw validate evaluations', ['validate', 'evaluations', '--pairs', '100']],
    [
      'ironlaw evaluate import <file>',
      ['evaluate', 'import', 'humaneval.jsonl', '--from', 'humaneval', '--to', join(DATASETS, 'programs.jsonl')],
    ],
    ['ironlaw profile <files>', ['profile', 'applicants.jsonl']],
    ['ironlaw data placement <data>', ['data', 'placement', '50 TB', '--link', '10 Gb/s', '--time-here', '6 d', '--time-there', '1 d']],
    ['ironlaw evaluate plan <spec>', ['evaluate', 'plan', 'evaluate.yaml', '--no-probe']],
    ['ironlaw evaluate compare <before> <after>', ['evaluate', 'compare', 'evaluations/before', 'evaluations/after', '--margin', '0.05']],
    ['ironlaw release check <spec>', ['release', 'check', 'release.yaml']],
    ['ironlaw verify <directory>', ['verify', SIGNED_MODEL, '--key', `${SIGNED_MODEL}.pem`]],
    ['ironlaw key <tenant>', ['key', 'search']],
    ['ironlaw explain roofline', ['explain', 'roofline', '--model', 'gpt2', '--on', 'l4']],
  ])('%s has the documented keys', (command, args) => {
    const keys = documented.get(command) ?? []
    const { stdout, status } = ironlaw(...args, '--json')
    expect(status).toBe(0)
    const answer = Object.keys(JSON.parse(stdout) as object)
    expect(answer.filter((key) => !keys.includes(key) && !keys.includes(`${key}?`))).toEqual([])
    expect(keys.filter((key) => !key.endsWith('?') && !answer.includes(key))).toEqual([])
  })

  test('every documented command is tested, here or where it has something to operate on', () => {
    const operating = /^ironlaw (?:apply|export|sign|rollout|bench|calibrate|data (?:show|seen)|evaluate run|validate data)\b/
    expect([...documented.keys()].filter((command) => !operating.test(command)).length).toBe(45)
  })

  test('the figures that the checks promise', () => {
    expect(JSON.parse(ironlaw('law', 'check', '--json').stdout)).toMatchObject({ failed: 0 })
    const models = JSON.parse(ironlaw('model', 'check', '--json').stdout) as { models: number; worstError: number }
    expect(models.models).toBeGreaterThanOrEqual(35)
    expect(models.worstError).toBeLessThanOrEqual(0.0005)
    const catalog = JSON.parse(ironlaw('catalog', 'check', '--json').stdout) as { accelerators: number; withoutSource: number }
    expect(catalog.accelerators).toBeGreaterThanOrEqual(35)
    expect(catalog.withoutSource).toBe(0)
  })
})

test('every error code of the catalogue is raised somewhere', () => {
  const sources = spawnSync('grep', ['-rhoE', '--include=*.ts', '--exclude=*.test.ts', "'IL_[A-Z_]+'", join(ROOT, 'packages')], {
    encoding: 'utf8',
  }).stdout
  expect(Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

describe('plan', () => {
  test('a deadline that cannot be met is status 3 and says so', () => {
    const { status, stderr } = ironlaw('plan', 'hasty-train.yaml')
    expect(status).toBe(3)
    expect(stderr).toMatch(/the best plan takes .*, the deadline is 1d/)
  })

  test('a model that fits nowhere is status 3 and says what would help', () => {
    const { status, stderr } = ironlaw('plan', '--model', 'Llama-3.1-405B', '--gpus', '8', '--on', 'h100-sxm', '--tokens', '1T')
    expect(status).toBe(3)
    expect(stderr).toContain('nothing fits')
  })

  test('a goal of cost within a deadline takes no more devices than it needs', () => {
    const { plans } = JSON.parse(ironlaw('plan', 'thrifty-train.yaml', '--json').stdout) as {
      plans: { fleet: { devices: number }; prediction: { duration_s: number } }[]
    }
    expect(plans[0]?.fleet.devices).toBe(128)
    expect(plans[0]?.prediction.duration_s).toBeLessThan(200 * 86_400)
  })

  test('a budget takes a smaller fleet, and a fixed number of replicas is kept', () => {
    const within = JSON.parse(ironlaw('plan', 'budget-train.yaml', '--json').stdout) as {
      plans: { fleet: { devices: number }; prediction: { cost_usd: number } }[]
      violated: string[]
    }
    expect(within.violated).toEqual([])
    expect(within.plans[0]?.prediction.cost_usd).toBeLessThanOrEqual(1.76e6)
    const fixed = JSON.parse(ironlaw('plan', 'fixed-train.yaml', '--json').stdout) as { plans: { decision: { data: number } }[] }
    expect(fixed.plans.map(({ decision }) => decision.data)).toEqual(fixed.plans.map(() => 64))
  })

  test('an illegal strategy is explained by what it breaks', () => {
    expect(ironlaw('plan', 'illegal-train.yaml').stderr).toContain(
      'no legal strategy: tensor 8 x context 1 x pipeline 3 does not divide 512 devices',
    )
  })

  test('adapters cost less time than full training', () => {
    const step = (precision: string): number =>
      (
        JSON.parse(ironlaw('plan', 'fixed-train.yaml', '--precision', precision, '--json').stdout) as {
          plans: { prediction: { step_s: number } }[]
        }
      ).plans[0]?.prediction.step_s ?? Number.NaN
    expect(step('lora')).toBeLessThan(0.8 * step('bf16-mixed'))
  })

  test('a sweep of the price moves money and no time', () => {
    expect(ironlaw('whatif', 'train.yaml', '--set', 'price=$2/h..$4/h').stdout).toContain(
      'price moves the cost by 100.0 % over the range, but not the time',
    )
  })

  test('a sweep of the traffic moves devices and money', () => {
    const { stdout } = ironlaw('whatif', 'serve.yaml', '--set', 'traffic.requests_per_s=10,40')
    expect(stdout).toMatch(/^ +10 +\d+ x \S+ +\d/m)
    expect(stdout).toMatch(/traffic\.requests_per_s moves the price of an hour by \d+\.\d % over the range/)
  })

  test('the points of a sweep as JSON', () => {
    const { points } = JSON.parse(ironlaw('whatif', 'serve.yaml', '--set', 'traffic.requests_per_s=10,40', '--json').stdout)
    expect(points[0].devices).toBeLessThan(points[1].devices)
  })

  test('flags override the values of a file', () => {
    const { plans } = JSON.parse(ironlaw('plan', 'train.yaml', '--precision', 'fp8', '--gpus', '256', '--json').stdout) as {
      plans: { fleet: { devices: number }; decision: { precision: string } }[]
    }
    expect(plans[0]).toMatchObject({ fleet: { devices: 256 }, decision: { precision: 'fp8' } })
  })

  test('a sweep that moves nothing says what binds', () => {
    expect(ironlaw('whatif', 'train.yaml', '--set', 'fleet.link=1600Gb/s..3200Gb/s').stdout).toContain(
      'moves nothing: matrix products binds',
    )
  })

  test('what is written for Slurm is a script that bash can read, with the id of the plan', () => {
    const { plans } = JSON.parse(ironlaw('plan', 'train.yaml', '--json').stdout) as { plans: { id: string }[] }
    const script = ironlaw('plan', 'train.yaml', '--export', 'slurm').stdout
    expect(script).toContain(plans[0]?.id)
    expect(spawnSync('bash', ['-n'], { input: script }).status).toBe(0)
  })
})

test('the completion scripts are read by their shell and offer what is there', () => {
  const bash = `${ironlaw('completion', 'bash').stdout}\nCOMP_WORDS=(ironlaw law --ex); COMP_CWORD=2; _ironlaw; echo "\${COMPREPLY[@]}"`
  expect(spawnSync('bash', ['-c', bash], { encoding: 'utf8' }).stdout.trim()).toBe('--explain')
  expect(ironlaw('completion', 'fish').stdout).toContain('complete -c ironlaw')
  expect(ironlaw('completion', 'zsh').stdout).toContain('#compdef ironlaw')
})

test('apply names a nearby size that is much better before it asks for confirmation', () => {
  const environment = { ...process.env, IRONLAW_API: 'http://127.0.0.1:1', IRONLAW_TOKEN: 'il_nobody' }
  const args = [join(ROOT, 'packages/apps/cli/src/main.ts'), 'apply', 'near-miss-train.yaml', '--dry-run', '--accept-inexact']
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: FIXTURES, encoding: 'utf8', env: environment })
  expect(stdout).toMatch(/better: batch [\d,]+ instead of 977: .* \(\d+ % less\)/)
  expect(status).toBe(0)
})
