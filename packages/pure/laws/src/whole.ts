// Whole devices, replicas and requests. 10 * 2.1 / 0.7 is 30 to everybody but a double, which makes it a hair more; a plain
// ceiling would then buy a 31st replica. A millionth of a millionth of the value is far above that error and far below any need.

const TOLERANCE = 1e-12

export const tolerantCeil = (value: number): number => Math.ceil(value - Math.abs(value) * TOLERANCE)

export const tolerantFloor = (value: number): number => Math.floor(value + Math.abs(value) * TOLERANCE)
