// A control plane whose clock is far off leaves runs alone: it would mistake live agents for silent ones, or the reverse, and postpone
// looks that other control planes wait for. The reference is the database's clock, which all of them share.

import type { Database } from '@ironlaw/store'
import { databaseClock } from '@ironlaw/store'
import { NOTHING_DUE, type Round } from './rounds.ts'

/** The reconciler is tested with clocks that jump by a minute and a half, but silence is measured in seconds. */
const CLOCK_OFF_S = 60
const CHECK_EVERY_S = 10
/** A clock that is set jumps relative to the process's monotonic time; one that is only slewed drifts by less than a thousandth. */
const JUMP_S = 1

type Clocks = { readonly database: Database; readonly now: () => number; readonly told: (problem: string) => void }

const steady_s = (): number => performance.now() / 1000

/** The round, skipped while this machine's clock is wrong. */
export function underRightClock({ database, now, told }: Clocks, round: () => Promise<Round>): () => Promise<Round> {
  let checkedAt = -Infinity
  let isRight = true
  let ahead_before = now() - steady_s()
  return async () => {
    const elapsed_s = steady_s()
    const ahead_of_steady = now() - elapsed_s
    const hasJumped = Math.abs(ahead_of_steady - ahead_before) > JUMP_S
    ahead_before = ahead_of_steady
    if (hasJumped || elapsed_s - checkedAt > CHECK_EVERY_S) {
      const ahead_s = now() - (await databaseClock(database))
      checkedAt = elapsed_s
      isRight = Math.abs(ahead_s) <= CLOCK_OFF_S
      if (!isRight)
        told(
          `the clock of this machine is ${Math.round(Math.abs(ahead_s))} s ${ahead_s > 0 ? 'ahead of' : 'behind'} the database's: nothing is decided until they agree`,
        )
    }
    return isRight ? round() : NOTHING_DUE
  }
}
