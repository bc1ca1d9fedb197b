// Questions that experts ask of a planner, and what a right answer holds. Measured figures are of the published runs that
// docs/validation/training.md lists, or of the source named.

import {
  differInKind,
  layoutIs,
  leavesMemory,
  meetsObjectives,
  neverSays,
  plans,
  rateNear,
  refuses,
  says,
  servedBy,
  softwareIsNot,
  stepWithin,
  utilizationAtMost,
  utilizationWithin,
  type Expectation,
} from './expectation.ts'

export type Question = {
  readonly id: string
  readonly asks: string
  readonly expects: readonly Expectation[]
}

const unmeasured = says('says that the accelerator was not measured', /no kernel measurements[^:\n]*/)
const prefillAndDecode = 'prefill and decode apart'

const TRAINING: readonly Question[] = [
  {
    id: 't1',
    asks: '8B on 64 A100, 1T tokens',
    expects: [utilizationWithin(0.57, 'FSDP of a 7B model on A100, PyTorch 2024'), differInKind()],
  },
  { id: 't2', asks: '70B on 256 H200', expects: [utilizationAtMost(0.52, 'H100 rows reach 40 to 52 %'), differInKind(), leavesMemory()] },
  {
    id: 't3',
    asks: '405B in FP8 on 1,024 B200',
    expects: [rateNear(733, 'Megatron Bridge on H100, times the ratio of peaks'), leavesMemory()],
  },
  { id: 't4', asks: '70B on 64 GB200', expects: [plans('a plan'), says('says that no price is known', /no price[^\n]*/)] },
  {
    id: 't5',
    asks: '70B on 64 MI300X',
    expects: [unmeasured, utilizationWithin(0.45, 'share of the peak that matrix products reach by third parties')],
  },
  {
    id: 't6',
    asks: '70B on 256 TPU v5p',
    expects: [softwareIsNot('megatron-core'), utilizationWithin(0.6, 'MaxText rows of v5p and v6e')],
  },
  {
    id: 't7',
    asks: '70B on 256 Trainium 2',
    expects: [softwareIsNot('megatron-core'), unmeasured, utilizationAtMost(0.55, 'nothing published reaches more')],
  },
  {
    id: 't8',
    asks: 'Mixtral 8x22B on 128 H100',
    expects: [
      layoutIs('experts divided, no ZeRO-3', ({ expert, shards }) => expert > 1 && shards !== 'weights'),
      utilizationAtMost(0.5, 'MoE rows stay below'),
    ],
  },
  {
    id: 't9',
    asks: 'DeepSeek-V3 in FP8 on 2,048 H100, software with DualPipe: which layout?',
    expects: [
      layoutIs(
        'pipeline and experts divided, optimizer sharded, as its authors train it',
        ({ pipeline, expert, shards, recompute }) => pipeline >= 4 && expert >= 8 && shards !== 'weights' && recompute !== 'full',
      ),
    ],
  },
  { id: 't10', asks: 'the same with the layout of its authors', expects: [stepWithin(19.9, 'DeepSeek-V3 report')] },
  { id: 't11', asks: 'Qwen3-235B in BF16 on 256 H100', expects: [rateNear(1862, 'Megatron MoE model zoo, best of five layouts')] },
  { id: 't12', asks: 'the same in FP8', expects: [rateNear(1575, 'Megatron Bridge 25.11')] },
  {
    id: 't13',
    asks: 'Kimi K2 on 1,024 H200',
    expects: [layoutIs('pipeline and experts divided', ({ pipeline, expert }) => pipeline > 1 && expert >= 8)],
  },
  { id: 't14', asks: 'gpt-oss-120b on 64 H100', expects: [rateNear(5630, 'Megatron Bridge 25.11')] },
  { id: 't15', asks: 'Qwen3-30B-A3B on 8 H100', expects: [plans('a plan'), leavesMemory()] },
  { id: 't16', asks: '8B at 128k on 64 H100', expects: [layoutIs('context parallel', ({ context }) => context > 1)] },
  { id: 't17', asks: '8B at 1M on 128 H100', expects: [layoutIs('context parallel over 16 or more', ({ context }) => context >= 16)] },
  { id: 't18', asks: '70B at 128k on 256 H100', expects: [layoutIs('context parallel', ({ context }) => context > 1)] },
  { id: 't19', asks: '8B on 8 H100 with torchtitan, compiled', expects: [rateNear(6667, 'torchtitan 2024')] },
  {
    id: 't20',
    asks: '8B QLoRA on one 4090',
    expects: [utilizationAtMost(0.5, 'weights are decompressed for each product'), plans('a plan')],
  },
  { id: 't21', asks: '8B LoRA on one 4090', expects: [plans('a plan')] },
  { id: 't22', asks: '8B in full on two 3090', expects: [says('names LoRA, 8-bit Adam or offload', /lora|8-bit|host|nvme/i)] },
  { id: 't23', asks: '70B LoRA on 8 H100', expects: [plans('a plan')] },
  { id: 't24', asks: '70B in full on 8 H100', expects: [says('puts the optimizer on the host, or says how', /host/)] },
  {
    id: 't25',
    asks: '8B in full on 4 L40S',
    expects: [layoutIs('no pipeline with ZeRO-3 on one PCIe box', ({ pipeline, shards }) => pipeline === 1 || shards !== 'weights')],
  },
  {
    id: 't26',
    asks: '7B on 16 x 4090',
    expects: [
      utilizationAtMost(0.4, 'no peer access, Ethernet between boxes'),
      neverSays('assumes no 400 Gb/s for each card', /400 Gb\/s per accelerator/),
    ],
  },
  {
    id: 't27',
    asks: '8B on 8 x 5090',
    expects: [
      utilizationAtMost(0.5, 'PCIe without peer access'),
      layoutIs('no tensor parallelism over PCIe', ({ tensor }) => tensor === 1),
    ],
  },
  {
    id: 't28',
    asks: '8B on 32 A100, nodes joined by 100 Gb/s',
    expects: [utilizationAtMost(0.55, 'gradients and stages share 12.5 GB/s of eight devices')],
  },
  {
    id: 't29',
    asks: '8B on 48 H100 with a batch of 100',
    expects: [says('says which batch would be faster', /batch (?:of )?(?:96|48|144)[^\n]*/)],
  },
  { id: 't30', asks: '70B on 100 H100', expects: [says('says that devices stay idle', /96|spare|idle/)] },
  {
    id: 't31',
    asks: '405B in FP8 on 16,384 H100',
    expects: [utilizationAtMost(0.5, 'of the FP8 peak'), says('says of which peak', /(?:FP8|fp8) peak/)],
  },
  { id: 't32', asks: '8B in NVFP4 on 8 B200', expects: [rateNear(33_000, 'between FP8 on B200 and NVFP4 on GB200, MLPerf 5.1')] },
  { id: 't33', asks: 'NVFP4 on H100', expects: [refuses(/fp4/i)] },
  { id: 't34', asks: '8B on seven H100', expects: [plans('a plan')] },
  { id: 't35', asks: 'a batch of 17 on 64 H100', expects: [plans('a plan')] },
  {
    id: 't36',
    asks: '8B on 64 V100',
    expects: [says('trains in FP16, without BF16', /fp16/i), utilizationAtMost(0.5, 'no fused attention of this generation')],
  },
  { id: 't37', asks: 'Granite 4 hybrid on 64 H100', expects: [plans('a plan')] },
  {
    id: 't38',
    asks: 'BERT-base as an encoder, 500 requests/s',
    expects: [says('plans it or names what is supported', /l4|encoder|embedding/i), plans('a plan')],
  },
]

const SERVING: readonly Question[] = [
  { id: 's1', asks: '8B on L4, L40S, A10', expects: [meetsObjectives(), says('says why an accelerator is left out, or shows it', /a10/)] },
  { id: 's2', asks: '70B FP8, H100, TP2', expects: [meetsObjectives()] },
  { id: 's3', asks: '70B FP8, H100, TP4', expects: [meetsObjectives()] },
  { id: 's4', asks: '70B FP8, H100, TP8', expects: [meetsObjectives()] },
  {
    id: 's5',
    asks: 'DeepSeek-R1 on H200 with SGLang',
    expects: [meetsObjectives(), servedBy('first token at 200 ms or later', ({ prediction }) => prediction.ttft_s >= 0.2)],
  },
  { id: 's6', asks: 'DeepSeek-R1 on H100', expects: [meetsObjectives()] },
  { id: 's7', asks: 'gpt-oss-120b on H100, B200, H200 or MI300X', expects: [meetsObjectives(), unmeasured] },
  { id: 's8', asks: '70B with prompts of 100k tokens', expects: [meetsObjectives()] },
  {
    id: 's9',
    asks: `DeepSeek-R1, ${prefillAndDecode}, 20 requests/s`,
    expects: [
      meetsObjectives(),
      servedBy('experts over more than 8 devices', ({ pools }) => pools.some(({ layout }) => layout.expert > 8)),
    ],
  },
  { id: 's10', asks: '70B with speculation', expects: [meetsObjectives()] },
  { id: 's11', asks: '405B in NVFP4 or INT4', expects: [meetsObjectives()] },
  { id: 's12', asks: '8B with 80 % of prompts cached', expects: [meetsObjectives()] },
  { id: 's13', asks: 'Qwen 32B on consumer cards', expects: [meetsObjectives(), unmeasured] },
  { id: 's14', asks: '100 LoRA adapters on 8B', expects: [meetsObjectives()] },
  { id: 's15', asks: '70B at 5 ms per token on L4, A10, L40S', expects: [refuses(/floor|at least|no plan|cannot/i)] },
  {
    id: 's16',
    asks: `DeepSeek-R1 on GB200, ${prefillAndDecode}`,
    expects: [
      meetsObjectives(),
      servedBy('experts over 16 or more devices', ({ pools }) => pools.some(({ layout }) => layout.expert >= 16)),
    ],
  },
]

const FAILURES: readonly Question[] = [
  {
    id: 'f1',
    asks: '70B on 1,024 H100: how long with failures?',
    expects: [says('one interval for the whole run', /with failures[^\n]*/)],
  },
  { id: 'f2', asks: '405B on 16,384 H100', expects: [says('goodput of about 90 %, as Llama 3', /goodput (?:8[5-9]|9[0-5])[^%]*%/)] },
  { id: 'f3', asks: '405B on 98,304 H100', expects: [neverSays('no figure that nobody can mean', /\d+(?:\.\d+)? years?|us \$0\.000/)] },
  {
    id: 'f4',
    asks: '70B on 1,024 spot H100',
    expects: [says('counts nodes that are taken away: ten times the interruptions of F1', /1\d\d interruptions/)],
  },
]

export const QUESTIONS: readonly Question[] = [...TRAINING, ...SERVING, ...FAILURES]
