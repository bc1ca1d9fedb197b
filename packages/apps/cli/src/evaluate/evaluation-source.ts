// What an evaluation spec names, as files and addresses: items, tokenizer, engine.

import { mkdtempSync, globSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readManifest, restore } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { type EvaluateSpec, parseEvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import type { EngineAddress, EvaluationRequest } from '@ironlaw/evaluations'
import { api } from '../api/api-client.ts'
import { siteArtifacts } from '../artifact/add-artifact.ts'
import { context } from '../context/context.ts'
import { gatewayOf } from '../gateway/gateway-flags.ts'
import { readDocument } from '../input-file.ts'

export type EngineFlags = {
  readonly url?: string
  readonly model?: string
  readonly key?: string
  readonly judgeKey?: string
  readonly gateway?: string
  readonly project: string
}

/** `use` may read the items until it ends. */
export async function withEvaluation<Answer>(
  file: string,
  flags: EngineFlags,
  use: (request: EvaluationRequest) => Promise<Answer>,
): Promise<Answer> {
  const spec = withFlags(parseEvaluateSpec(readDocument(file), file), flags)
  const directory = dirname(resolve(file))
  const restored = mkdtempSync(join(tmpdir(), 'ironlaw-items-'))
  try {
    const { file: items = '', artifact } = spec.items
    return await use({
      spec,
      items: artifact === undefined ? resolve(directory, items) : await restoredItems(artifact, flags.project, restored),
      ...(spec.tokenizer && { tokenizer: resolve(directory, spec.tokenizer.file) }),
      ...(spec.judge && { judge: judgeAddress(spec.judge.url, flags) }),
      ...(spec.task !== 'prediction' && { address: addressOf(spec, flags) }),
    })
  } finally {
    rmSync(restored, { recursive: true, force: true })
  }
}

function withFlags(spec: EvaluateSpec, { url, model }: EngineFlags): EvaluateSpec {
  if (url !== undefined && !URL.canParse(url))
    throw new IronlawError('IL_USAGE', { problem: `--url ${url}: expected a URL such as http://127.0.0.1:8000`, command: 'evaluate run' })
  if (spec.predictor && url !== undefined)
    throw new IronlawError('IL_USAGE', { problem: '--url: task prediction asks no engine', command: 'evaluate run' })
  if (spec.predictor) return { ...spec, predictor: { ...spec.predictor, ...(model !== undefined && { model }) } }
  const { deployment: _, ...engine } = spec.engine
  const asked = url === undefined ? spec.engine : { ...engine, url }
  return { ...spec, engine: { ...asked, ...(model !== undefined && { model }) } }
}

function addressOf({ engine: { url } }: EvaluateSpec, flags: EngineFlags): EngineAddress {
  if (url === undefined) return gatewayOf(flags, 'evaluate run')
  const key = flags.key ?? process.env['IRONLAW_KEY']
  return { url, ...(key !== undefined && { key }) }
}

/** Never with the key of the engine: the judge may be another's server. */
function judgeAddress(url: string, { judgeKey = process.env['IRONLAW_JUDGE_KEY'] }: EngineFlags): EngineAddress {
  return { url, ...(judgeKey !== undefined && { key: judgeKey }) }
}

async function restoredItems(reference: string, project: string, to: string): Promise<string> {
  const [artifacts, { id }] = await Promise.all([siteArtifacts(), api(context()).getArtifact({ project, artifact: reference })])
  await restore(artifacts, await readManifest(artifacts, id), { to })
  const found = globSync('**/*.jsonl', { cwd: to })
  const [only] = found
  if (only !== undefined && found.length === 1) return join(to, only)
  throw new IronlawError('IL_CONFLICT', {
    problem: `artifact ${reference} holds ${found.length === 0 ? 'no file' : `${found.length} files`} of JSON lines; the items are one`,
    next: 'add the file with the items alone: "ironlaw artifact add items.jsonl"',
  })
}
