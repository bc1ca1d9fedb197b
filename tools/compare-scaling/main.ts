// `npm run compare:scaling [TRACE...]`: autoscalers on drawn hours and on recorded ones, in the simulator.

import { showPercent } from '@ironlaw/units'
import { comparedAutoscalers } from './compare.ts'
import { busiestMinute, drawnHours, type Hour, meanRate, recordedHour, SPEED } from './hours.ts'

const SEED = 1
const RECORDED_REQUESTS_PER_S = 20

const hours: readonly Hour[] = [...drawnHours(SEED), ...process.argv.slice(2).map((path) => recordedHour(path, RECORDED_REQUESTS_PER_S))]
console.log(
  'hour                     mean/s  peak/s  autoscaler        within the objective  replica hours  of a fixed number that attains the same',
)
for (const hour of hours)
  for (const { autoscaler, attained, replica_s, ofFixed } of comparedAutoscalers(hour))
    console.log(
      [
        hour.name.padEnd(24),
        (meanRate(hour) / SPEED).toFixed(2).padStart(6),
        (busiestMinute(hour) / SPEED).toFixed(2).padStart(7),
        ` ${autoscaler.padEnd(17)}`,
        showPercent(attained).padStart(20),
        ((replica_s * SPEED) / 3600).toFixed(2).padStart(14),
        ofFixed.toFixed(2).padStart(10),
      ].join(' '),
    )
