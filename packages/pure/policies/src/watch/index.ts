export { type AlarmBudget, alarmLimit, designShift, type ShiftDesign } from './alarm-budget.ts'
export { detect, type Detection, type DetectorState, newDetector, type Shift } from './detect-shift.ts'
export { dayOfWeek, expectedAt, fitStream, hourOfDay, type StreamModel } from './stream-model.ts'
export { LEAST_BASELINE_ROWS, REST, type Stream, type StreamHour, streamHour, type StreamKind, streamsOf } from './streams.ts'
