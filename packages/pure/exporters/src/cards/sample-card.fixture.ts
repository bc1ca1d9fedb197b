// A version with most of what a registry can know, and one with nothing.

import type { CardSources } from './card.ts'

const AT = 1_795_000_000

const score = (value: number) => ({ value, low: value - 0.0213, high: value + 0.0187 })

export const KNOWN: CardSources = {
  id: 'art-4f1c2ab09d',
  names: ['chat'],
  state: 'released',
  bytes: 8_030_261_248,
  added: { at: AT - 86_400, by: 'ana' },
  at: AT,
  stated: { intended_use: 'answers to customers', oversight: 'a person reads every answer', provider: 'Example Ltd' },
  statedIn: 'stated with the artifact',
  known: [
    {
      fact: 'code',
      value: { commit: '4f1c2ab', path: 'train', remote: 'https://git.example/chat', changes: { digest: 'd1', files: 2 } },
      from: 'run',
    },
    { fact: 'data', value: ['art-77aa'], from: 'edges' },
    { fact: 'configuration', value: { plan: 'plan-9', argv: ['train.py', '--lr', '3e-4'] }, from: 'run' },
    { fact: 'environment', value: 'registry.example/train@sha256:4b1c', from: 'stated' },
    { fact: 'run', value: 'chat-3', from: 'run' },
    { fact: 'cost', value: { cost_usd: 812.5 }, from: 'ledger' },
    { fact: 'energy', value: { energy_j: 7.2e9 }, from: 'ledger' },
    { fact: 'evaluations', value: 2, from: 'edges' },
    { fact: 'intended_use', value: 'answers to customers', from: 'stated' },
    { fact: 'languages', value: 'en, de', from: 'stated' },
    { fact: 'licence', value: 'Apache-2.0', from: 'stated' },
  ],
  missing: [
    { fact: 'card', blocks: false, next: 'state the card' },
    { fact: 'contact', blocks: false, next: 'ironlaw artifact add DIR --type model --fact contact=team@example.org' },
  ],
  evaluations: [
    {
      name: 'sums',
      id: 'art-90b1c2d3e4',
      document: {
        apiVersion: 'ironlaw/v1',
        kind: 'Evaluation',
        name: 'sums',
        model: { id: 'chat', weights: 'a'.repeat(64) },
        items: { digest: 'b'.repeat(64), count: 250 },
        instrument: {
          engine: 'vllm',
          version: '0.11.0',
          template: 'chat',
          sampling: { temperature: 0, top_p: 1, seed: 1 },
          task: 'answer',
          metric: 'exact_match',
          scoring: 1,
        },
        instrument_digest: 'c'.repeat(64),
        results: 'd'.repeat(64),
        score: score(0.864),
        metrics: { exact_match: score(0.864) },
        slices: [{ slice: 'length', value: 'three digits', items: 50, score: score(0.66) }],
        repeats: { count: 1 },
        tokens_in: 679,
        tokens_out: 835,
        time_s: 1.79,
        concurrency: 8,
      },
    },
    { name: 'notes', id: 'art-5511' },
  ],
  unread: 0,
  datasets: [{ id: 'art-77aa', names: ['corpus'], bytes: 4.1e9 }],
  decisions: [
    {
      number: 1,
      answer: 'released',
      rule: 'release.yaml',
      evidence: { artifacts: ['art-90b1c2d3e4'], figures: [] },
      why: 'all gates passed',
      at: AT - 3600,
      by: 'ana',
    },
  ],
  record: {
    apiVersion: 'ironlaw/v1',
    kind: 'ModelVersion',
    id: 'mv-1',
    name: 'chat',
    created_at: AT - 90_000,
    files: [{ path: 'model-q8_0.gguf', bytes: 8_030_261_248, sha256: 'a'.repeat(64), weights: 'q8_0' }],
    lineage: {},
    evaluation: {
      text: null,
      prompts: 100,
      tokens: 12_800,
      tolerance: 0.02,
      pytorch: { loss_nats: 1.8082, perplexity: 6.0996 },
      variants: [
        {
          weights: 'q8_0',
          loss_nats: 1.8082,
          perplexity: 6.0997,
          perplexity_change: 1e-5,
          logit_difference_max: 0.093,
          logit_difference_mean: 0.01,
          same_first_choice: 1,
          known: { prompt: 'a', text: 'b' },
        },
      ],
    },
  },
}

export const UNKNOWN: CardSources = {
  id: 'art-00',
  names: [],
  state: 'candidate',
  bytes: 5,
  added: { at: AT },
  at: AT,
  stated: {},
  statedIn: 'stated with the artifact',
  known: [],
  missing: [{ fact: 'code', blocks: true, next: '--fact code=COMMIT' }],
  evaluations: [],
  unread: 0,
  datasets: [],
  decisions: [],
}
