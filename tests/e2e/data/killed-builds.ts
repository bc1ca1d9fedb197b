// Builds that are killed at random moments and begun again: the whole of it, or one worker while the others go on.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Build, killQuietly, startBuild } from './builds.ts'
import { hashOf } from './prose.ts'

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** The whole group, or one worker if there is one. */
function strike(child: ChildProcess, random: number): 'worker' | 'all' | 'none' {
  const pid = child.pid as number
  if (child.exitCode !== null || child.signalCode !== null) return 'none'
  const workers = random % 2 === 0 ? childrenOf(pid) : []
  const worker = workers[(random >>> 8) % Math.max(1, workers.length)]
  if (worker !== undefined) return killQuietly(worker) ? 'worker' : 'none'
  return killQuietly(-pid) ? 'all' : 'none'
}

type Kills = { readonly worker: number; readonly all: number }

type Killing = {
  readonly seed: number
  readonly times: number
  /** Seconds of the build when nobody kills it. */
  readonly usual: number
}

/**
 * Starts the build again and again and kills it after a random time, until it was killed as often as asked. One that ends before begins from nothing and is
 * killed sooner the next time. What is left is for a build that nobody kills.
 */
export async function killRepeatedly(build: Build, { seed, times, usual }: Killing): Promise<Kills> {
  const kills = { worker: 0, all: 0 }
  let longest = usual
  for (let time = 0; kills.worker + kills.all < times && time < 4 * times; time += 1) {
    const child = startBuild(build)
    const ended = once(child, 'exit') as Promise<[number | null]>
    const patience = 300 + 1e3 * longest * (hashOf(seed, time) / 2 ** 32)
    const early = await Promise.race([ended, delay(patience)])
    if (early?.[0] === 0) longest /= 2
    const struck = strike(child, hashOf(seed, time, 1))
    if (struck !== 'none') kills[struck] += 1
    // The others of a killed worker go on for a while, then everything is killed.
    if (struck === 'worker' && (await Promise.race([ended, delay(patience / 2)])) === undefined && strike(child, 1) === 'all')
      kills.all += 1
    await ended
  }
  return kills
}
