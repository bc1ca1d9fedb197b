import { count, law, maybe, one, or, share, shareOr } from '../law.ts'
import { vol1 } from '../sources.ts'

export const selectionTime = law({
  id: 'data/selection-time',
  name: 'Time to select a subset and train on it',
  decides: 'whether data selection saves time, its own cost included',
  is: 'poolSize * scoreTime + subsetSize * epochs * sampleTime',
  source: vol1.dataSelection,
  validity: 'the pool is scored once; equal epochs on subset and whole',
  inputs: { poolSize: count, scoreTime: one('s'), subsetSize: count, epochs: one('1'), sampleTime: one('s') },
  output: 'totalTime',
  unit: 's',
  of: ({ poolSize, scoreTime, subsetSize, epochs, sampleTime }) => poolSize * scoreTime + subsetSize * epochs * sampleTime,
  also: {
    selectionTime: { unit: 's', is: 'poolSize * scoreTime', of: ({ poolSize, scoreTime }) => poolSize * scoreTime },
    trainTime: {
      unit: 's',
      is: 'subsetSize * epochs * sampleTime',
      of: ({ subsetSize, epochs, sampleTime }) => subsetSize * epochs * sampleTime,
    },
    baselineTime: {
      unit: 's',
      is: 'poolSize * epochs * sampleTime',
      of: ({ poolSize, epochs, sampleTime }) => poolSize * epochs * sampleTime,
    },
    timeSaved: {
      unit: 's',
      is: 'baselineTime - totalTime',
      of: ({ poolSize, epochs, sampleTime }, totalTime) => poolSize * epochs * sampleTime - totalTime,
    },
    saving: {
      unit: '1',
      is: '1 - totalTime / baselineTime',
      of: ({ poolSize, epochs, sampleTime }, totalTime) => 1 - totalTime / (poolSize * epochs * sampleTime),
    },
  },
})

export const selectionOverhead = law({
  id: 'data/selection-overhead',
  name: 'What selection eats of its own saving',
  decides: 'whether the scoring model is too expensive',
  is: 'selectionTime + trainTime',
  source: vol1.dataSelection,
  validity: 'times on the same machines; as a rule selection should stay below a tenth of training',
  inputs: { selectionTime: one('s'), trainTime: one('s'), baselineTime: maybe('s') },
  output: 'totalTime',
  unit: 's',
  of: ({ selectionTime, trainTime }) => selectionTime + trainTime,
  also: {
    overheadRatio: { unit: '1', is: 'selectionTime / trainTime', of: ({ selectionTime, trainTime }) => selectionTime / trainTime },
    grossShare: {
      unit: '1',
      is: 'selectionTime / (baselineTime - trainTime)',
      of: ({ selectionTime, trainTime, baselineTime = Number.NaN }) => selectionTime / (baselineTime - trainTime),
    },
    netShare: {
      unit: '1',
      is: 'selectionTime / (baselineTime - totalTime)',
      of: ({ selectionTime, baselineTime = Number.NaN }, totalTime) => selectionTime / (baselineTime - totalTime),
    },
  },
})

export const selectionBreakEven = law({
  id: 'data/selection-break-even',
  name: 'Training time from which selection pays',
  decides: 'whether a run is long enough to select data for it',
  is: 'selectionTime / (1 - subsetFraction)',
  source: vol1.dataSelection,
  validity: 'training time proportional to the data; the subset reaches the wanted quality',
  inputs: { selectionTime: one('s'), subsetFraction: share },
  output: 'fullTrainTime',
  unit: 's',
  of: ({ selectionTime, subsetFraction }) => selectionTime / (1 - subsetFraction),
})

export const selectionEpochs = law({
  id: 'data/selection-epochs',
  name: 'Speedup of training on a scored subset, in epochs',
  decides: 'how often samples may be scored again',
  is: 'epochs / (scoringEpochs + subsetFraction * epochs)',
  source: vol1.dataSelection,
  validity: 'scoring a sample costs as much as training on it',
  inputs: { epochs: one('1'), scoringEpochs: one('1'), subsetFraction: share },
  output: 'speedup',
  unit: '1',
  of: ({ epochs, scoringEpochs, subsetFraction }) => epochs / (scoringEpochs + subsetFraction * epochs),
  also: {
    totalEpochs: {
      unit: '1',
      is: 'scoringEpochs + subsetFraction * epochs',
      of: ({ epochs, scoringEpochs, subsetFraction }) => scoringEpochs + subsetFraction * epochs,
    },
  },
})

export const rescoringLimit = law({
  id: 'data/rescoring-limit',
  name: 'How often samples may be scored within the rule of a tenth',
  decides: 'whether scores may be refreshed as the model moves on',
  is: 'overhead * trainTime / scoringTime',
  source: vol1.dataSelection,
  validity: 'every scoring covers the whole pool; below one not even the first is within the rule',
  inputs: { scoringTime: one('s', { least: Number.MIN_VALUE }), trainTime: one('s'), overhead: shareOr(0.1) },
  output: 'scorings',
  unit: '1',
  of: ({ scoringTime, trainTime, overhead = 0.1 }) => (overhead * trainTime) / scoringTime,
})

export const pretrainCrossover = law({
  id: 'data/pretrain-crossover',
  name: 'Number of tasks from which a shared pretrained model pays',
  decides: 'whether to share one pretrained model or to train one per task',
  is: 'pretrain / (scratchPerTask - finetunePerTask)',
  source: vol1.dataSelection,
  validity: 'tasks of equal size and quality either way',
  holds: ({ scratchPerTask, finetunePerTask }) => scratchPerTask > finetunePerTask,
  inputs: { tasks: count, scratchPerTask: one('s'), pretrain: one('s'), finetunePerTask: one('s') },
  output: 'crossoverTasks',
  unit: '1',
  of: ({ scratchPerTask, pretrain, finetunePerTask }) => pretrain / (scratchPerTask - finetunePerTask),
  also: {
    scratchTime: { unit: 's', is: 'tasks * scratchPerTask', of: ({ tasks, scratchPerTask }) => tasks * scratchPerTask },
    sharedTime: {
      unit: 's',
      is: 'pretrain + tasks * finetunePerTask',
      of: ({ tasks, pretrain, finetunePerTask }) => pretrain + tasks * finetunePerTask,
    },
    marginalRatio: {
      unit: '1',
      is: 'scratchPerTask / finetunePerTask',
      of: ({ scratchPerTask, finetunePerTask }) => scratchPerTask / finetunePerTask,
    },
  },
})

export const repeatedTokens = law({
  id: 'data/repeated-tokens',
  name: 'Fresh tokens that repeated tokens are worth',
  decides: 'how many epochs over scarce text still help',
  is: 'uniqueTokens * (1 + decay * (1 - exp(-(epochs - 1) / decay)))',
  source: 'N. Muennighoff et al., Scaling Data-Constrained Language Models, NeurIPS 2023; decay fitted as 15.387756',
  validity: 'fitted on models up to 9B parameters and 900B tokens; up to about four epochs repetition is nearly as good as fresh text',
  inputs: { uniqueTokens: one('token'), epochs: one('1', { least: 1 }), decay: or('1', 15.387756) },
  output: 'effectiveTokens',
  unit: 'token',
  of: ({ uniqueTokens, epochs, decay = 15.387756 }) => uniqueTokens * (1 + decay * (1 - Math.exp(-(epochs - 1) / decay))),
  also: {
    valuePerToken: {
      unit: '1',
      is: 'effectiveTokens / (uniqueTokens * epochs)',
      of: ({ uniqueTokens, epochs }, effectiveTokens) => effectiveTokens / (uniqueTokens * epochs),
    },
  },
})

export const nearDuplicateDetection = law({
  id: 'data/near-duplicate-detection',
  name: 'Chance that banded MinHash finds a near-duplicate pair',
  decides: 'how many hashes and bands a deduplication needs',
  is: '1 - (1 - similarity^rowsPerBand)^bands',
  source: 'J. Leskovec, A. Rajaraman, J. D. Ullman, Mining of Massive Datasets, chapter 3',
  validity: 'similarity is the Jaccard similarity of the shingles; independent hash functions',
  inputs: { similarity: share, rowsPerBand: count, bands: count },
  output: 'probability',
  unit: '1',
  of: ({ similarity, rowsPerBand, bands }) => 1 - (1 - similarity ** rowsPerBand) ** bands,
  also: { threshold: { unit: '1', is: '(1 / bands)^(1 / rowsPerBand)', of: ({ rowsPerBand, bands }) => (1 / bands) ** (1 / rowsPerBand) } },
})

export const amortizedRoi = law({
  id: 'data/amortized-roi',
  name: 'Return on a one-time investment over many runs',
  decides: 'after how many runs deduplication or tooling has paid for itself',
  is: '(runs * savingPerRun - investment) / investment',
  source: vol1.dataSelection,
  validity: 'the saving is the same in every run and is not discounted',
  inputs: { runs: one('1'), savingPerRun: one('USD'), investment: one('USD') },
  output: 'roi',
  unit: '1',
  of: ({ runs, savingPerRun, investment }) => (runs * savingPerRun - investment) / investment,
  also: { breakEvenRuns: { unit: '1', is: 'investment / savingPerRun', of: ({ savingPerRun, investment }) => investment / savingPerRun } },
})
