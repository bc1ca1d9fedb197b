// What a test of the site finds as it goes: lines for a reader, and sentences for what is broken.

import { setTimeout as pause } from 'node:timers/promises'

const WITHIN_MS = 120_000
const startedAt = Date.now()

export const failures: string[] = []

export const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)

export const check = (holds: boolean, text: string): void => {
  if (!holds) failures.push(text)
}

export async function until(what: string | (() => string), holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + WITHIN_MS; !(await holds()); await pause(50))
    if (Date.now() > deadline) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`)
}
