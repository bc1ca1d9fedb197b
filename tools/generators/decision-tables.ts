// What the training page says of choices: regret among measured layouts, and the best plan against the best that was measured.

import {
  DECISION_HEAD,
  decisionCells,
  type DecisionSet,
  type LeftOutReport,
  promiseCells,
  type Promised,
} from '@ironlaw/planner/validation'
import { markdownTable } from './generated.ts'

const INTRODUCTION = `A planner chooses. Where a source measured two layouts or more of the same run, the **regret** is how much longer the layout takes that is
predicted fastest than the one that was. The **promise** is the predicted step of the best plan that a search from scratch finds on that machine,
over the best that was measured: a search picks what the model errs in favour of. It is free in every number (ranks, chunks, microbatch); whether
to recompute, shard, interleave or divide sequences is as in the sweep, since what the software of the year could not do is no merit of a plan.
Where eight layouts or more were measured, they are the space. Nothing is sampled; the recipes stand on this page alone, since their searches take long.`

const cells = (set: DecisionSet): string[] => decisionCells(set, (text) => `**${text}**`)

export const decisionText = ({ decisions: { leftOut, shipped } }: LeftOutReport, recipes: Promised): string =>
  [
    INTRODUCTION,
    'Each source left out:',
    markdownTable(DECISION_HEAD, leftOut.map(cells)),
    'With the coefficients as shipped; tuned recipes are runs with experts of which one layout was published:',
    markdownTable(DECISION_HEAD, [
      ...shipped.map(cells),
      ['tuned recipes with experts', String(recipes.runs), '', '', '', '', '', '', ...promiseCells(recipes)],
    ]),
  ].join('\n\n')
