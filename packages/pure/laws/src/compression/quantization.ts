import { count, law, list, one, or } from '../law.ts'

const levels = (bits: number): number => 2 ** bits - 1
const largestCode = (bits: number): number => 2 ** (bits - 1) - 1

export const blockQuantBits = law({
  id: 'compression/block-quant-bits',
  name: 'Bits per value with a scale per block',
  decides: 'which block size a quantized format can afford',
  is: 'bits + scaleBits / blockSize',
  source: 'T. Dettmers et al., 8-bit Optimizers via Block-wise Quantization, ICLR 2022',
  validity: 'one scale and no zero point per block; codes packed without padding',
  inputs: { bits: or('1', 8), scaleBits: or('1', 32), blockSize: count, originalBits: or('1', 32) },
  output: 'effectiveBits',
  unit: '1',
  of: ({ bits = 8, scaleBits = 32, blockSize }) => bits + scaleBits / blockSize,
  also: {
    overhead: {
      unit: '1',
      is: 'scaleBits / blockSize / bits',
      of: ({ bits = 8, scaleBits = 32, blockSize }) => scaleBits / blockSize / bits,
    },
    ratio: { unit: '1', is: 'originalBits / effectiveBits', of: ({ originalBits = 32 }, effectiveBits) => originalBits / effectiveBits },
  },
})

export const quantizeAffine = law({
  id: 'compression/quantize-affine',
  name: 'Scale and zero point of affine quantization',
  decides: 'how coarse activations become at a bit width',
  is: '(rangeMax - rangeMin) / (2^bits - 1)',
  source: 'B. Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, CVPR 2018',
  validity: 'unsigned codes, and a calibrated range that contains zero',
  holds: ({ rangeMin, rangeMax }) => rangeMin <= 0 && rangeMax >= 0 && rangeMin < rangeMax,
  inputs: { rangeMin: one('1', { least: -Infinity }), rangeMax: one('1', { least: -Infinity }), bits: count },
  output: 'scale',
  unit: '1',
  of: ({ rangeMin, rangeMax, bits }) => (rangeMax - rangeMin) / levels(bits),
  also: {
    zeroPoint: { unit: '1', is: 'round(-rangeMin / scale)', of: ({ rangeMin }, scale) => Math.round(-rangeMin / scale) },
    worstError: { unit: '1', is: 'scale / 2', of: (_, scale) => scale / 2 },
  },
})

export const quantizeSymmetric = law({
  id: 'compression/quantize-symmetric',
  name: 'Scale of symmetric quantization',
  decides: 'whether the largest weight leaves enough steps for the others',
  is: 'max(abs(x)) / (2^(bits - 1) - 1)',
  source: 'B. Jacob et al., CVPR 2018; R. Krishnamoorthi, Quantizing deep convolutional networks for efficient inference, 2018',
  validity: 'signed codes, one scale for all values, scaled to the largest magnitude so that nothing is clipped',
  holds: ({ x, bits }) => bits >= 2 && x.some((value) => value !== 0),
  inputs: { x: list('1', { least: -Infinity }), bits: count },
  output: 'scale',
  unit: '1',
  of: ({ x, bits }) => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largestCode(bits),
  also: {
    meanAbsError: {
      unit: '1',
      is: 'mean(abs(x - round(x / scale) * scale))',
      of: ({ x }, scale) => x.reduce((sum, value) => sum + Math.abs(value - Math.round(value / scale) * scale), 0) / x.length,
    },
  },
})
