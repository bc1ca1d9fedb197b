import { law, one, or, share } from '../law.ts'

const LEVIATHAN = 'Y. Leviathan, M. Kalman and Y. Matias, Fast Inference from Transformers via Speculative Decoding, ICML 2023'

// The exact expectation; draftLength * acceptance, also in print, forgets the token that the target adds itself and the chain of refusals.
export const speculativeTokens = law({
  id: 'decoding/speculative',
  name: 'Tokens per pass of speculative decoding',
  decides: 'whether a draft model pays and how long its drafts should be',
  is: '(1 - acceptance^(draftLength + 1)) / (1 - acceptance)',
  source: LEVIATHAN,
  validity:
    'drafted tokens accepted independently with the same probability; the target has compute to spare for verifying; acceptance below 1',
  holds: ({ acceptance }) => acceptance < 1,
  inputs: { acceptance: share, draftLength: one('1'), draftCostRatio: or('1', 0) },
  output: 'tokensPerPass',
  unit: '1',
  of: tokensPerPass,
  also: {
    speedup: {
      unit: '1',
      is: 'tokensPerPass / (1 + draftLength * draftCostRatio)',
      of: ({ draftLength, draftCostRatio = 0 }, tokens) => tokens / (1 + draftLength * draftCostRatio),
    },
  },
})

export const speculativeLatency = law({
  id: 'decoding/speculative-itl',
  name: 'Latency per token with speculative decoding',
  decides: 'whether a measured draft and verify time beat plain decoding',
  is: '(draftTime + verifyTime) * (1 - acceptance) / (1 - acceptance^(draftLength + 1))',
  source: LEVIATHAN,
  validity: 'drafted tokens accepted independently; draft and verify one after the other; a verify pass is never cheaper than a plain step',
  holds: ({ acceptance, verifyTime, baselineLatency }) => acceptance < 1 && verifyTime >= baselineLatency,
  inputs: { draftTime: one('s'), verifyTime: one('s'), acceptance: share, draftLength: one('1'), baselineLatency: one('s') },
  output: 'interTokenLatency',
  unit: 's',
  of: ({ draftTime, verifyTime, acceptance, draftLength }) => (draftTime + verifyTime) / tokensPerPass({ acceptance, draftLength }),
  also: {
    speedup: {
      unit: '1',
      is: 'baselineLatency / interTokenLatency',
      of: ({ baselineLatency }, interTokenLatency) => baselineLatency / interTokenLatency,
    },
  },
})

function tokensPerPass({ acceptance, draftLength }: { readonly acceptance: number; readonly draftLength: number }): number {
  return acceptance === 1 ? draftLength + 1 : (1 - acceptance ** (draftLength + 1)) / (1 - acceptance)
}
