// The profiles in the making: one for each pool, class of tenants and hour, with totals since this process began. The control plane gets totals,
// not differences, so a report that was lost or came twice changes nothing. What it has acknowledged of past hours is forgotten here.

import { MOST_WINDOWS, type ProfileWindow } from '@ironlaw/contracts/profile'
import { OTHER_WORDS, ProfileCounter } from '@ironlaw/policies/profile'

/** Classes that are told apart in an hour; the tenants of further ones are counted as `other`. */
export const MOST_CLASSES = 16
/** Windows held at once: with lengths of 20,000 answers one takes 57 KB, so all take 29 MB. Four revisions fill 128 hours. */
const MOST_HELD = 512
/** Of a message, so that writing one holds requests up for 10 ms (measured on a busy machine); a control plane takes 4 MiB. */
const MESSAGE_BYTES = 131_072
const HOUR_S = 3600

export type CountedWindow = {
  readonly pool: string
  readonly class: string
  readonly hour: number
  readonly counter: ProfileCounter
  /** Rises with every change. */
  version: number
  /** The version that the control plane has. */
  acknowledged: number
}

export type WindowsOptions = {
  /** Seconds since 1970. */
  readonly clock: () => number
  /** Windows that the control plane did not get, or answers that had no room for one. */
  readonly onDrop: () => void
  readonly mostHeld?: number
}

/** Windows in JSON, and what to do when the control plane has them. */
export type ProfileMessage = { readonly windows: string; readonly acknowledge: () => void }

export class ProfileWindows {
  readonly #clock: () => number
  readonly #onDrop: () => void
  readonly #mostHeld: number
  /** Those first that were not acknowledged for longest, so that each has its turn. */
  readonly #held = new Set<CountedWindow>()
  /** Of the current hour, by pool and class. */
  readonly #current = new Map<string, Map<string, CountedWindow>>()
  readonly #classes = new Set<string>()
  #hour = 0

  constructor({ clock, onDrop, mostHeld = MOST_HELD }: WindowsOptions) {
    this.#clock = clock
    this.#onDrop = onDrop
    this.#mostHeld = mostHeld
  }

  get size(): number {
    return this.#held.size
  }

  /** The window of now; undefined where there is no room for another one. */
  at(pool: string, tenantClass: string): CountedWindow | undefined {
    this.#turnHour()
    const known = this.#current.get(pool)?.get(tenantClass)
    if (known) return known
    const own = this.#distinguished(tenantClass)
    const windows = this.#current.get(pool) ?? new Map<string, CountedWindow>()
    this.#current.set(pool, windows)
    const window = windows.get(own) ?? this.#open(pool, own)
    if (!window) {
      this.#onDrop()
      return undefined
    }
    windows.set(own, window)
    return window
  }

  /** What changed since it was last acknowledged, as much as goes into one message; undefined where nothing did. */
  message(): ProfileMessage | undefined {
    this.#turnHour()
    const texts: string[] = []
    const sent: { readonly window: CountedWindow; readonly version: number }[] = []
    let bytes = 0
    for (const window of this.#held) {
      if (window.version === window.acknowledged) continue
      const { pool, class: tenantClass, hour, counter, version } = window
      const text = JSON.stringify({ pool, class: tenantClass, hour, profile: counter.profile() } satisfies ProfileWindow)
      bytes += text.length
      if (sent.length > 0 && (bytes > MESSAGE_BYTES || sent.length >= MOST_WINDOWS)) break
      texts.push(text)
      sent.push({ window, version })
    }
    if (sent.length === 0) return undefined
    const acknowledge = (): void => {
      for (const { window, version } of sent) {
        window.acknowledged = version
        if (this.#held.delete(window)) this.#held.add(window)
      }
      this.#forgetAcknowledged()
    }
    return { windows: `[${texts.join(',')}]`, acknowledge }
  }

  /** A clock that is set back stays in the hour: a window that was begun twice would replace its own totals. */
  #turnHour(): void {
    const hour = Math.floor(this.#clock() / HOUR_S)
    if (hour <= this.#hour) return
    this.#hour = hour
    this.#current.clear()
    this.#classes.clear()
    this.#forgetAcknowledged()
  }

  #forgetAcknowledged(): void {
    for (const window of this.#held) if (window.hour < this.#hour && window.version === window.acknowledged) this.#held.delete(window)
  }

  #distinguished(tenantClass: string): string {
    if (!this.#classes.has(tenantClass) && this.#classes.size >= MOST_CLASSES) return OTHER_WORDS
    this.#classes.add(tenantClass)
    return tenantClass
  }

  /** Makes room by the oldest of a past hour. One of this hour is never dropped: begun again, it would replace its own totals. */
  #open(pool: string, tenantClass: string): CountedWindow | undefined {
    if (this.#held.size >= this.#mostHeld) {
      const [first] = this.#held
      const oldest = first && [...this.#held].reduce((least, window) => (window.hour < least.hour ? window : least), first)
      if (!oldest || oldest.hour === this.#hour) return undefined
      this.#held.delete(oldest)
      this.#onDrop()
    }
    const window = { pool, class: tenantClass, hour: this.#hour, counter: new ProfileCounter(), version: 0, acknowledged: 0 }
    this.#held.add(window)
    return window
  }
}
