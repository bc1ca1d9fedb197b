// What a run that makes a dataset tells others: lines that it prints as it goes, which its step pattern reads, and the profile that it registers.

import { DATA_RUN_STEPS } from '@ironlaw/contracts/data-plan'

export const DATA_STEP_PATTERN = `^(?<step>\\d+) of ${DATA_RUN_STEPS}: `

export const stepLine = (step: number, what: string): string => `${step} of ${DATA_RUN_STEPS}: ${what}`

/** Under this fact a profile holds the figures of the run. */
export const DATA_FIGURES_FACT = 'dataRun'
