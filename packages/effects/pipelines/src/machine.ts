import { cpus } from 'node:os'

/** The kind of machine, as calibration knows it. */
export const machineName = (): string => cpus()[0]?.model.trim() ?? 'unknown'
