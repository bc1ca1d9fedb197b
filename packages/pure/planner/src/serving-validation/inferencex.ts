// The InferenceX points (SemiAnalysis and NVIDIA; silicon_sample.csv of ai-dynamo/aiconfigurator, Apache-2.0) as cases. The file is
// third-party data that is not shipped. It leaves out instances, attention data parallelism and speculative decoding, which the published
// configurations of the benchmark state; a point that no configuration settles is refused, with the reason.

import { ENGINE_RUNTIMES, type EngineName } from '../serving/engine-runtime.ts'
import { type Layout, SINGLE } from '../serving/layout.ts'
import { type CachePrecision, SERVING_PRECISIONS, type ServingPrecisionName } from '../serving/precision.ts'
import type { RefusedCase, ServingCase } from './case.ts'
import { type ParsedCases, casesIn } from './cases-in.ts'
import { type CsvRow, numberOf } from './csv.ts'
import { architectureNamed, type Machines } from './replica-of.ts'
import { inferencexLayouts, type PublishedLayout, type PublishedSide } from './row.ts'
import { type Dump, dumpOf, dumpedPlacement } from './inferencex-dump.ts'
import { speculationOf } from './inferencex-speculation.ts'
import { splitOf } from './split.ts'

const MODELS: Readonly<Record<string, string>> = {
  'deepseek-ai/DeepSeek-R1': 'DeepSeek-R1',
  'deepseek-ai/DeepSeek-V3': 'DeepSeek-R1',
  'nvidia/DeepSeek-R1-NVFP4': 'DeepSeek-R1',
  'nvidia/DeepSeek-V3.1-NVFP4': 'DeepSeek-R1',
  'openai/gpt-oss-120b': 'gpt-oss-120b',
  'meta-llama/Llama-3.1-70B': 'Llama-3.1-70B',
  'meta-llama/Llama-3.1-8B-Instruct': 'Llama-3.1-8B',
  'nvidia/Llama-3.1-8B-Instruct-FP8': 'Llama-3.1-8B',
  'Qwen/Qwen3-32B': 'Qwen3-32B',
  'nvidia/Qwen3-32B-NVFP4': 'Qwen3-32B',
  'Qwen/Qwen3-235B-A22B-FP8': 'Qwen3-235B-A22B',
  'Qwen/Qwen3.5-397B-A17B': 'Qwen3.5-397B-A17B',
  'moonshotai/Kimi-K2.5': 'Kimi-K2.5',
  'MiniMaxAI/MiniMax-M2.5': 'MiniMax-M2.5',
  'zhipuai/GLM-5': 'GLM-5',
}

/** Text layers of Kimi K2.5 are those of K2. */
const SAME_LAYERS: Readonly<Record<string, string>> = { 'Kimi-K2.5': 'Kimi-K2-Instruct' }

const ACCELERATORS: Readonly<Record<string, string>> = {
  h100_sxm: 'h100-sxm',
  h200_sxm: 'h200-sxm',
  b200_sxm: 'b200',
  b300_sxm: 'b300',
  gb200: 'gb200',
  gb300: 'gb300',
}

const ENGINES: Readonly<Record<string, EngineName>> = { trtllm: 'tensorrt-llm', sglang: 'sglang', vllm: 'vllm' }

/** RANDOM_RANGE_RATIO is 0.8 in the benchmark's workflows (InferenceX at 5e2c705): lengths lie evenly between 0.8 and 1 of the stated ones. */
const MEAN_LENGTH = 0.9
/**
 * All requests start at once and ten follow each: the first wave waits for its own prompts, the next is not far apart yet. Engines that mix
 * prompts into decoding part equal requests too; where prompts go alone, those of equal lengths stay in step. Fitted to calibration rows.
 */
const ARRIVAL_SPREAD = 0.8
type Point = {
  readonly row: CsvRow
  readonly model: string
  readonly system: string
  readonly concurrency: number
  readonly benchmark: boolean
  readonly date?: string
  readonly image?: string
}

type RunPlacement = { readonly layout: Layout; readonly workers: number; readonly decodeOnly: boolean; readonly speculative: boolean }

export function inferencexCases(machines: Machines, text: string): ParsedCases {
  const dump = dumpOf(text)
  return casesIn(text, (row) => caseOf(machines, row, dump))
}

function caseOf(machines: Machines, row: CsvRow, dump: Dump): ServingCase | RefusedCase {
  const id = row['id'] ?? ''
  const point = pointOf(row)
  const architecture = architectureNamed(SAME_LAYERS[point.model] ?? point.model)
  if (!architecture) return { id, reason: 'architecture not known' }
  const placed = placementOf(point, dump)
  if (typeof placed === 'string') return { id, reason: placed }
  const machine = machines(ACCELERATORS[row['system'] ?? ''] ?? '')
  const engine = ENGINES[row['backend'] ?? ''] ?? 'vllm'
  const precision = precisionOf(point)
  const length = point.benchmark ? MEAN_LENGTH : 1
  const size = requestsPerReplica(point, placed)
  return {
    id,
    source: 'inferencex',
    split: splitOf([engine, point.model, row['system'], precision, placementText(placed), row['isl'], row['osl']].join('|')),
    family: point.model,
    replica: {
      architecture,
      machine,
      precision: SERVING_PRECISIONS[precision],
      cache: cacheOf(point),
      runtime: ENGINE_RUNTIMES[engine],
      layout: placed.layout,
      ...(placed.speculative && { speculation: speculationOf(engine, { ...placed, size }) }),
    },
    input: numberOf(row, 'isl') * length,
    output: numberOf(row, 'osl') * length,
    load: placed.decodeOnly
      ? { kind: 'decode', size }
      : { kind: 'concurrency', size, spread: point.benchmark || ENGINE_RUNTIMES[engine].mixed ? ARRIVAL_SPREAD : 0 },
    // First tokens are timed at the client.
    client_s: ENGINE_RUNTIMES[engine].client_s,
    measured: {
      tpot_s: numberOf(row, 'silicon_tpot_ms') / 1000,
      ...(!placed.decodeOnly && { ttft_s: numberOf(row, 'silicon_ttft_ms') / 1000 }),
    },
  }
}

/** Part of what fixes the split: it must not change with what else is known of a placement. */
const placementText = ({ layout, workers, decodeOnly, speculative }: RunPlacement): string =>
  JSON.stringify({ layout, workers, decodeOnly }) + (speculative ? ' speculative' : '')

/** Runs of NVIDIA's own count requests over several replicas, and also state the batch of each copy of the attention. */
function requestsPerReplica({ row, concurrency, benchmark }: Point, { layout, workers, decodeOnly }: RunPlacement): number {
  const batch = numberOf(row, 'batch_size')
  return benchmark || decodeOnly || batch === 0 ? concurrency / workers : batch * layout.data
}

function pointOf(row: CsvRow): Point {
  const origin = row['silicon_data_source'] ?? ''
  const date = /measured=(\d{4}-\d{2}-\d{2})/.exec(origin)?.[1]
  const image = /:([\w.+-]+)\s*$/.exec(origin)?.[1]
  return {
    row,
    model: MODELS[row['model_path'] ?? ''] ?? '',
    system: (row['system'] ?? '').replace('_sxm', ''),
    concurrency: Number(/silicon_concurrency=([\d.]+)/.exec(origin)?.[1]) || numberOf(row, 'batch_size'),
    benchmark: /^db-dump|source_file=20/.test(origin),
    ...(date !== undefined && { date }),
    ...(image !== undefined && { image }),
  }
}

/** How a point ran, or the reason it cannot be determined. */
function placementOf(point: Point, dump: Dump): RunPlacement | string {
  const { row } = point
  const twin = dump.twin(row)
  if (point.benchmark && twin) return { ...dumpedPlacement(twin), speculative: false }
  const aggregated = row['mode'] === 'agg'
  const settings = point.benchmark ? settingsOf(point, dump) : undefined
  if (settings === 'ambiguous') return 'the published configurations leave open whether tokens were speculated'
  if (settings === 'several') return 'several published configurations fit'
  const side = settings?.aggregated ?? settings?.decode
  if (side)
    return {
      layout: layoutOf(side),
      workers: side.workers,
      decodeOnly: settings?.decode !== undefined,
      speculative: settings?.speculative === true,
    }
  return aggregated ? statedPlacement(row) : 'neither the file nor a published configuration says how many instances decode'
}

const layoutOf = ({ tensor, expert, attentionData }: PublishedSide): Layout => ({
  tensor: attentionData ? 1 : tensor,
  pipeline: 1,
  data: attentionData ? tensor : 1,
  expert: Math.max(1, Math.min(expert, tensor)),
})

const NODE = 8

/** Of attention, its copies, one expert, and experts. */
const ranksOf = (row: CsvRow): readonly number[] =>
  ['tp_size', 'attention_dp_size', 'moe_tp_size', 'moe_ep_size'].map((name) => numberOf(row, name) || 1)

/** The file multiplies ranks of attention and experts where both are stated: 64 ranks on a node of 8 are 8 that do both. */
function statedPlacement(row: CsvRow): RunPlacement | string {
  const [tensor = 1, copies = 1, inExpert = 1, expert = 1] = ranksOf(row)
  const devices = tensor <= NODE ? tensor : inExpert * expert === tensor && inExpert <= NODE ? inExpert : undefined
  if (devices === undefined) return 'the layout as written fits no node'
  const ranks = Math.max(devices, copies)
  return {
    layout: { ...SINGLE, tensor: ranks / copies, data: copies, expert: Math.min(expert, ranks) },
    workers: 1,
    decodeOnly: false,
    speculative: false,
  }
}

const LAYOUTS = Map.groupBy(inferencexLayouts, ({ model, system, precision, engine, aggregated }) =>
  [model, system, precision, engine, aggregated ? 'agg' : 'disagg'].join('|'),
)

/** The one published configuration behind a point; undefined when none was published and none of its kind ever speculated. */
function settingsOf(point: Point, dump: Dump): PublishedLayout | 'ambiguous' | 'several' | undefined {
  const { row } = point
  const kind = LAYOUTS.get([point.model, point.system, row['precision'], row['backend'], row['mode']].join('|')) ?? []
  const fitting = kind.filter((each) => matchesPoint(each, point))
  const byImage = matchesOrAll(fitting, ({ images }) => point.image !== undefined && images.includes(point.image))
  const byDate = matchesOrAll(byImage, ({ from, to }) => point.date !== undefined && from <= point.date && point.date <= to)
  if (byDate.length === 0) return kind.some(({ speculative }) => speculative) ? 'ambiguous' : undefined
  const drafting = byDate.filter(({ speculative }) => speculative)
  const plain = byDate.filter(({ speculative }) => !speculative)
  if (plain.length === 0 || drafting.length === 0) return commonLayout(byDate) ?? 'several'
  // One shape, measured plainly and otherwise: what is not the plain measurement is the other.
  return commonLayout(plain) && dump.besideTwin(row) ? (commonLayout(drafting) ?? 'several') : 'ambiguous'
}

/** The one shape of all of these; undefined when they differ, or there are none. */
function commonLayout(layouts: readonly PublishedLayout[]): PublishedLayout | undefined {
  const shape = ({ aggregated, decode }: PublishedLayout): string => JSON.stringify(aggregated ?? decode)
  const [first] = layouts
  return first && layouts.every((each) => shape(each) === shape(first)) ? first : undefined
}

const matchesOrAll = <T>(all: readonly T[], by: (each: T) => boolean): readonly T[] => {
  const some = all.filter(by)
  return some.length > 0 ? some : all
}

function matchesPoint(
  { input, output, concurrency, aggregated, prefill, decode }: PublishedLayout,
  { row, concurrency: asked }: Point,
): boolean {
  if (input !== numberOf(row, 'isl') || output !== numberOf(row, 'osl') || !concurrency.includes(asked)) return false
  if (aggregated) {
    const [tensor = 1, copies = 1, inExpert = 1, expert = 1] = ranksOf(row)
    const ranks = tensor > NODE ? inExpert : tensor
    // Where copies of the attention are stated they multiply, and only a configuration that has them fits.
    return (
      aggregated.expert === expert &&
      (copies > 1
        ? aggregated.attentionData && aggregated.tensor === (copies > NODE ? inExpert : Math.max(ranks, copies))
        : aggregated.tensor === ranks)
    )
  }
  const workers = numberOf(row, 'decode_num_workers')
  return (
    prefill?.tensor === numberOf(row, 'prefill_tp_size') &&
    decode?.tensor === numberOf(row, 'decode_tp_size') &&
    (workers === 0 || workers === decode.workers)
  )
}

/** DeepSeek, Qwen and MiniMax publish FP8 by blocks; FP4 checkpoints keep attention in 16 bits; gpt-oss is MXFP4 whatever it is called. */
function precisionOf({ row, model }: Point): ServingPrecisionName {
  if (model.startsWith('gpt-oss')) return 'mxfp4-experts'
  const dense = /^(?:Llama|Qwen3-32B)/.test(model)
  switch (row['precision']) {
    case 'fp4':
      return dense ? 'nvfp4' : 'nvfp4-experts'
    case 'int4':
      return 'int4-experts'
    case 'fp8':
      return dense ? 'fp8' : 'fp8-block'
    case undefined:
    default:
      return 'bf16'
  }
}

/** TensorRT-LLM keeps the cache in 8 bits with any 8- or 4-bit checkpoint, and on Blackwell the recipes of the others do for experts. */
function cacheOf({ row, model, system }: Point): CachePrecision {
  if ((row['precision'] ?? 'bf16') === 'bf16' || row['precision'] === '') return 'bf16'
  if (row['backend'] === 'trtllm') return 'fp8'
  return /^(?:Llama|Qwen3-)/.test(model) || system.startsWith('h') ? 'bf16' : 'fp8'
}
