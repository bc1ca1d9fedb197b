import { count, countOr, law, one, share } from '../law.ts'
import { vol2 } from '../sources.ts'

const HOROWITZ = "M. Horowitz, Computing's energy problem (and what we can do about it), ISSCC 2014"

export const movementCompute = law({
  id: 'energy/movement-compute',
  name: 'Energy of moving data and of computing',
  decides: 'whether fewer bytes or fewer operations save energy',
  is: 'bytesMoved * energyPerByte + ops * energyPerOp',
  source: HOROWITZ,
  validity: 'dynamic energy only, so a lower bound; operations and their energy of one kind',
  inputs: { bytesMoved: one('B'), energyPerByte: one('J/B'), ops: one('1'), energyPerOp: one('J') },
  output: 'total',
  unit: 'J',
  of: ({ bytesMoved, energyPerByte, ops, energyPerOp }) => bytesMoved * energyPerByte + ops * energyPerOp,
  also: {
    moveEnergy: { unit: 'J', is: 'bytesMoved * energyPerByte', of: ({ bytesMoved, energyPerByte }) => bytesMoved * energyPerByte },
    computeEnergy: { unit: 'J', is: 'ops * energyPerOp', of: ({ ops, energyPerOp }) => ops * energyPerOp },
    ratio: {
      unit: '1',
      is: 'moveEnergy / computeEnergy',
      of: ({ bytesMoved, energyPerByte, ops, energyPerOp }) => (bytesMoved * energyPerByte) / (ops * energyPerOp),
    },
  },
})

export const crossoverIntensity = law({
  id: 'energy/crossover-intensity',
  name: 'Intensity at which computing takes the energy of moving',
  decides: 'whether a kernel spends its energy on memory or on arithmetic',
  is: 'energyPerByte / energyPerOp',
  source: 'J. W. Choi, D. Bedard, R. Fowler, R. Vuduc, A roofline model of energy, IPDPS 2013: the energy balance',
  validity: 'dynamic energy only; constant power shifts the balance',
  inputs: { energyPerByte: one('J/B'), energyPerOp: one('J') },
  output: 'intensity',
  unit: 'FLOP/B',
  of: ({ energyPerByte, energyPerOp }) => energyPerByte / energyPerOp,
})

export const wordEnergyRatio = law({
  id: 'energy/relative-cost',
  name: 'Energy of fetching a word against an operation on it',
  decides: 'how often a fetched word must be reused before arithmetic dominates',
  is: 'energyPerBit * bits / referenceEnergy',
  source: HOROWITZ,
  validity: 'both energies of one process generation',
  inputs: { energyPerBit: one('J'), bits: count, referenceEnergy: one('J') },
  output: 'ratio',
  unit: '1',
  of: ({ energyPerBit, bits, referenceEnergy }) => (energyPerBit * bits) / referenceEnergy,
})

export const transferEnergy = law({
  id: 'energy/transfer',
  name: 'Energy of moving bytes',
  decides: 'what synchronization or weight traffic costs in energy',
  is: 'bytes * 8 * energyPerBit * transfers',
  source: vol2.introduction,
  validity: 'bytes that cross this link, once per transfer; a collective may send each byte twice',
  inputs: { bytes: one('B'), energyPerBit: one('J'), transfers: countOr(1) },
  output: 'energy',
  unit: 'J',
  of: ({ bytes, energyPerBit, transfers = 1 }) => bytes * 8 * energyPerBit * transfers,
})

export const accessPower = law({
  id: 'energy/access-power',
  name: 'Power of memory accesses',
  decides: 'what keeping data on chip saves',
  is: 'accessRate * energyPerAccess',
  source: vol2.performanceEngineering,
  validity: 'the energy of the accesses that are moved is neglected at their new place',
  inputs: { accessRate: one('1/s'), energyPerAccess: one('J'), movedShare: share, devices: count },
  output: 'power',
  unit: 'W',
  of: ({ accessRate, energyPerAccess }) => accessRate * energyPerAccess,
  also: { saved: { unit: 'W', is: 'power * movedShare * devices', of: ({ movedShare, devices }, power) => power * movedShare * devices } },
})
