import { count, countOr, law, maybe, one, or, share, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const instanceHours = law({
  id: 'cost/instance-hours',
  name: 'Rent of devices',
  decides: 'what a run, a stall or an idle reservation costs',
  is: 'devices * time * share * hourlyPrice',
  source: vol2.computeInfrastructure,
  validity: 'billed by time at one price; the share is above 1 where work is done again; without a price only the device time is told',
  inputs: { devices: countOr(1), time: one('s'), hourlyPrice: maybe('USD/s'), share: or('1', 1) },
  output: 'cost',
  unit: 'USD',
  of: ({ devices = 1, time, hourlyPrice = Number.NaN, share: part = 1 }) => devices * time * part * hourlyPrice,
  also: {
    deviceTime: { unit: 's', is: 'devices * time * share', of: ({ devices = 1, time, share: part = 1 }) => devices * time * part },
  },
})

export const impliedHourlyPrice = law({
  id: 'cost/implied-hourly-price',
  name: 'Effective price of a device-hour',
  decides: 'whether owned or reserved devices beat the rental price at their real use',
  is: 'cost / (devices * time * share)',
  source: vol2.computeInfrastructure,
  validity: 'the whole cost over the whole time, used only for the given share of it',
  inputs: { cost: one('USD'), devices: count, time: one('s'), share: shareOr(1) },
  output: 'hourlyPrice',
  unit: 'USD/s',
  of: ({ cost, devices, time, share: used = 1 }) => cost / (devices * time * used),
})

export const runCost = law({
  id: 'cost/training-run',
  name: 'Cost of a training run with overheads',
  decides: 'which budget a run needs, failures included',
  is: 'devices * time * (hourlyPrice + devicePower * pue * energyPrice) * (1 + failureOverhead)',
  source: vol2.mlOperationsAtScale,
  validity: 'a device price without electricity takes power and energy price; a cloud price contains them, and both stay 0',
  holds: ({ pue = 1 }) => pue >= 1,
  inputs: {
    devices: count,
    time: one('s'),
    hourlyPrice: one('USD/s'),
    devicePower: or('W', 0),
    pue: or('1', 1),
    energyPrice: or('USD/J', 0),
    failureOverhead: or('1', 0),
  },
  output: 'cost',
  unit: 'USD',
  of: ({ devices, time, hourlyPrice, devicePower = 0, pue = 1, energyPrice = 0, failureOverhead = 0 }) =>
    devices * time * (hourlyPrice + devicePower * pue * energyPrice) * (1 + failureOverhead),
})

export const electricity = law({
  id: 'cost/electricity',
  name: 'Electricity bill of a load',
  decides: 'what power adds to the cost of hardware',
  is: '(energy + devices * power * pue * time) * energyPrice',
  source: vol2.computeInfrastructure,
  validity:
    'one price for all hours; metered energy and a load over time add, so give each consumer once; cooling either as pue or as a share',
  inputs: {
    energy: or('J', 0),
    devices: countOr(1),
    power: or('W', 0),
    pue: or('1', 1),
    time: or('s', 0),
    energyPrice: one('USD/J'),
    coolingShare: maybe('1'),
  },
  output: 'cost',
  unit: 'USD',
  of: ({ energy = 0, devices = 1, power = 0, pue = 1, time = 0, energyPrice }) => (energy + devices * power * pue * time) * energyPrice,
  also: {
    billedEnergy: { unit: 'J', is: 'cost / energyPrice', of: ({ energyPrice }, cost) => cost / energyPrice },
    coolingCost: { unit: 'USD', is: 'cost * coolingShare', of: ({ coolingShare = Number.NaN }, cost) => cost * coolingShare },
  },
})

export const electricityPerDeviceHour = law({
  id: 'cost/electricity-per-device-hour',
  name: 'Electricity in the price of a device-hour',
  decides: 'how much of a rental price is power',
  is: 'devicePower * pue * energyPrice',
  source: vol2.systemAssumptions,
  validity: 'full power of the device; hosts and network left out',
  holds: ({ pue = 1 }) => pue >= 1,
  inputs: { devicePower: one('W'), pue: or('1', 1), energyPrice: one('USD/J'), hourlyPrice: one('USD/s') },
  output: 'costRate',
  unit: 'USD/s',
  of: ({ devicePower, pue = 1, energyPrice }) => devicePower * pue * energyPrice,
  also: { share: { unit: '1', is: 'costRate / hourlyPrice', of: ({ hourlyPrice }, costRate) => costRate / hourlyPrice } },
})

export const trainingElectricity = law({
  id: 'cost/training-electricity',
  name: 'Electricity bill of a training run from its operations',
  decides: 'the least that a model costs to train',
  is: 'deviceTime * power * energyPrice',
  source: vol1.machineFoundations,
  validity: 'device-time, not wall-clock time; compute bound, facility overhead left out',
  inputs: { flops: one('FLOP'), peakFlops: one('FLOP/s'), efficiency: share, power: one('W'), energyPrice: one('USD/J') },
  output: 'cost',
  unit: 'USD',
  of: ({ flops, peakFlops, efficiency, power, energyPrice }) => (flops / (peakFlops * efficiency)) * power * energyPrice,
  also: {
    deviceTime: {
      unit: 's',
      is: 'flops / (peakFlops * efficiency)',
      of: ({ flops, peakFlops, efficiency }) => flops / (peakFlops * efficiency),
    },
    energy: { unit: 'J', is: 'cost / energyPrice', of: ({ energyPrice }, cost) => cost / energyPrice },
  },
})

export const bytesCost = law({
  id: 'cost/per-byte',
  name: 'Cost of bytes at a price per byte',
  decides: 'what egress, retrieval or memory costs, and whether data should move at all',
  is: 'bytes * price',
  source: vol1.dataEngineering,
  validity: 'one price for all bytes; providers bill by tiers, and some by GiB',
  inputs: { bytes: one('B'), price: one('USD/B') },
  output: 'cost',
  unit: 'USD',
  of: ({ bytes, price }) => bytes * price,
})
