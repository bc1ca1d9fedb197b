// `npm run e2e:evaluation`: what evaluations come to beside other programs. Words after the command choose parts: `npm run e2e:evaluation -- lm-eval`.

import { inspectScores } from './inspect-log.ts'
import { lmEvalScores } from './lm-eval.ts'
import { predictedTime } from './predicted-time.ts'
import { realPairs } from './real-pairs.ts'
import { scikitLearnMetrics } from './scikit-learn.ts'

const PARTS: Readonly<Record<string, () => Promise<boolean>>> = {
  'lm-eval': lmEvalScores,
  inspect: inspectScores,
  'predicted-time': predictedTime,
  pairs: realPairs,
  'scikit-learn': scikitLearnMetrics,
}

const chosen = process.argv.slice(2)
const unknown = chosen.filter((part) => !Object.hasOwn(PARTS, part))
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}
let isMet = true
for (const [name, run] of Object.entries(PARTS)) if (chosen.length === 0 || chosen.includes(name)) isMet = (await run()) && isMet
process.exitCode = isMet ? 0 : 1
