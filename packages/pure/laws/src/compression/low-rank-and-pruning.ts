import { count, law, maybe, share } from '../law.ts'

export const lowRank = law({
  id: 'compression/low-rank',
  name: 'Low-rank factorization of a matrix',
  decides: 'up to which rank two thin factors are smaller than the matrix',
  is: 'rank * (rows + cols)',
  source:
    'T. N. Sainath et al., Low-rank matrix factorization for deep neural network training with high-dimensional output targets, ICASSP 2013',
  validity: 'the factors are kept apart and applied one after the other; pays below the break-even rank',
  holds: ({ rows, cols, rank }) => rank * (rows + cols) < rows * cols,
  inputs: { rows: count, cols: count, rank: count, bytesPerParam: maybe('B') },
  output: 'factorParams',
  unit: '1',
  of: ({ rows, cols, rank }) => rank * (rows + cols),
  also: {
    denseParams: { unit: '1', is: 'rows * cols', of: ({ rows, cols }) => rows * cols },
    ratio: { unit: '1', is: 'rows * cols / factorParams', of: ({ rows, cols }, factorParams) => (rows * cols) / factorParams },
    flopRatio: { unit: '1', is: 'factorParams / (rows * cols)', of: ({ rows, cols }, factorParams) => factorParams / (rows * cols) },
    denseBytes: {
      unit: 'B',
      is: 'rows * cols * bytesPerParam',
      of: ({ rows, cols, bytesPerParam = Number.NaN }) => rows * cols * bytesPerParam,
    },
    factorBytes: {
      unit: 'B',
      is: 'factorParams * bytesPerParam',
      of: ({ bytesPerParam = Number.NaN }, factorParams) => factorParams * bytesPerParam,
    },
    breakEvenRank: { unit: '1', is: 'rows * cols / (rows + cols)', of: ({ rows, cols }) => (rows * cols) / (rows + cols) },
  },
})

export const structuredPruneShare = law({
  id: 'compression/structured-prune-share',
  name: 'Parameters removed by pruning heads and feed-forward units',
  decides: 'what pruning inside the encoder saves on the whole model',
  is: '(4 * headPrune + 8 * ffnPrune) / 12',
  source: 'P. Michel, O. Levy, G. Neubig, Are Sixteen Heads Really Better than One?, NeurIPS 2019',
  validity: 'layers of 12 hidden^2 parameters: full multi-head attention and a feed-forward width of 4 hidden sizes',
  inputs: { headPrune: share, ffnPrune: share, hidden: count, layers: count, params: count },
  output: 'encoderShare',
  unit: '1',
  of: ({ headPrune, ffnPrune }) => (4 * headPrune + 8 * ffnPrune) / 12,
  also: {
    modelShare: {
      unit: '1',
      is: 'encoderShare * 12 * hidden^2 * layers / params',
      of: ({ hidden, layers, params }, encoderShare) => (encoderShare * 12 * hidden ** 2 * layers) / params,
    },
  },
})
