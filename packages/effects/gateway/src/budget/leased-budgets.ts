// Budgets out of PostgreSQL without a query in the way of a request. A gateway leases a chunk, reserves from it in memory, and reports what
// was spent a few times a second. Leases shrink with what is left, so near the end money is leased request by request.
//
// Bound of overspend: what a gateway spent between its last report and its death, never more than the lease it held; nothing while none
// dies or is cut off from the database for longer than a lease lasts. A refusal is true: before one, the other gateways have been made to
// give back what is idle, and what then remains is spent, or set aside for requests that run, or (until it expires) leased by the dead.

import { randomUUID } from 'node:crypto'
import type { BudgetState } from '@ironlaw/contracts/gateway-sync'
import type { Budgets, Refusal, Reservation } from './budgets.ts'
import type { Books, Entry, Row } from './books.ts'

export type LeaseOptions = {
  /** The most that is leased beyond what waits. */
  readonly chunk_nusd?: number
  readonly report_ms?: number
  readonly lease_s?: number
  /** How long money is waited for that others hold. */
  readonly patience_ms?: number
}

/** Time as the leases see it. */
type LeaseClock = {
  /** Only rises. */
  readonly now_ms: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Answers how to stop it. */
  readonly every: (ms: number, act: () => void) => () => void
}

const MACHINE_CLOCK: LeaseClock = {
  now_ms: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  every: (ms, act) => {
    const timer = setInterval(act, ms).unref()
    return () => clearInterval(timer)
  },
}

type Waiter = { readonly amount: number; readonly answer: (answer: Reservation | Refusal) => void }

type Report = Pick<Entry, 'number' | 'used' | 'returned' | 'need' | 'wish'>

type Account = {
  readonly name: string
  /** In hand: leased, and neither set aside nor spent. */
  free: number
  reserved: number
  /** Spent, and not in a report yet. */
  spent: number
  reports: number
  /** Sent, and not answered yet: sent again as it is until it is, so that nothing is booked twice. */
  open: Report | undefined
  validUntil_ms: number
  /** What the books said last. */
  books: Pick<Row, 'spent' | 'bound'> | undefined
  readonly waiting: Waiter[]
  busy: Promise<void> | undefined
}

/** Billionths of a dollar in a dollar. */
const NUSD = 1e9

/** A report has a limited size: one with the budgets of many thousand tenants would be refused, and the configuration would not renew. */
const MOST_REPORTED = 100

const DEFAULTS = { chunk_nusd: 1e9, report_ms: 200, lease_s: 120, patience_ms: 1000 }

export class LeasedBudgets implements Budgets {
  readonly #books: Books
  readonly #options: Required<LeaseOptions>
  readonly #gateway = randomUUID()
  readonly #accounts = new Map<string, Account>()
  readonly #clock: LeaseClock
  readonly #stopReporting: () => void

  constructor(books: Books, options: LeaseOptions = {}, clock: LeaseClock = MACHINE_CLOCK) {
    this.#books = books
    this.#clock = clock
    this.#options = { ...DEFAULTS, ...options }
    this.#stopReporting = clock.every(this.#options.report_ms, () => this.report())
  }

  reserve(budget: string, amount: number): Reservation | Promise<Reservation | Refusal> {
    const account = this.#account(budget)
    const { waiting } = account
    if (waiting.length === 0 && account.free >= amount && this.#clock.now_ms() < account.validUntil_ms)
      return reserveAmount(account, amount)
    const { promise, resolve } = Promise.withResolvers<Reservation | Refusal>()
    waiting.push({ amount, answer: resolve })
    account.busy ??= this.#serve(account)
    return promise
  }

  /** Reports what was spent, and returns idle money that another gateway needs. */
  report(): void {
    for (const account of this.#accounts.values()) account.busy ??= this.#routine(account)
  }

  /** Those nearest to their limit, as the books had them last, for operators who must raise a budget before it is spent. */
  states(): readonly BudgetState[] {
    return [...this.#accounts.values()]
      .flatMap(({ name, books }) => (books ? [{ name, spent_usd: books.spent / NUSD, limit_usd: books.bound / NUSD }] : []))
      .toSorted((one, other) => spentShare(other) - spentShare(one))
      .slice(0, MOST_REPORTED)
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    this.abandon()
    for (const account of this.#accounts.values()) {
      await account.busy
      await this.#exchange(account, { returned: account.free })
    }
  }

  /** Stops as a crash would: nothing is reported, nothing given back. */
  abandon(): void {
    this.#stopReporting()
  }

  #account(name: string): Account {
    let account = this.#accounts.get(name)
    if (!account) {
      account = {
        name,
        free: 0,
        reserved: 0,
        spent: 0,
        reports: 0,
        open: undefined,
        validUntil_ms: 0,
        books: undefined,
        waiting: [],
        busy: undefined,
      }
      this.#accounts.set(name, account)
    }
    return account
  }

  async #routine(account: Account): Promise<void> {
    const row = await this.#exchange(account, {})
    if (row?.wanted && account.free > 0) await this.#exchange(account, { returned: account.free })
    account.busy = undefined
    if (account.waiting.length > 0) account.busy = this.#serve(account)
  }

  /** Serves those who wait in their order, asking for what all of them need at once. */
  async #serve(account: Account): Promise<void> {
    const { patience_ms, report_ms } = this.#options
    while (account.waiting.length > 0) {
      const until = this.#clock.now_ms() + patience_ms
      const present = account.waiting.length
      let row = await this.#exchange(account, { asks: true })
      let served = serveInOrder(account)
      while (row && served < present && this.#clock.now_ms() < until) {
        if (row.granted === 0) {
          const others = row.leased - row.held
          if (others <= 0) break
          await this.#clock.sleep(report_ms / 2)
        }
        row = await this.#exchange(account, { asks: true })
        served += serveInOrder(account)
      }
      refuseUncovered(account, { present: present - served, row })
    }
    account.busy = undefined
  }

  async #exchange(
    account: Account,
    { returned = 0, asks = false }: { readonly returned?: number; readonly asks?: boolean },
  ): Promise<Row | undefined> {
    const repeated = account.open !== undefined
    account.open ??= this.#newReport(account, { returned, asks })
    const sentAt = this.#clock.now_ms()
    const row = await this.#books({ ...account.open, budget: account.name, gateway: this.#gateway, lease_s: this.#options.lease_s })
    if (!row) return undefined
    account.open = undefined
    account.books = row
    account.validUntil_ms = sentAt + 1000 * this.#options.lease_s
    // The lease as the database has it, which may have expired meanwhile.
    account.free = row.held - account.reserved - account.spent
    return repeated ? this.#exchange(account, { returned: Math.min(returned, Math.max(0, account.free)), asks }) : row
  }

  #newReport(account: Account, { returned, asks }: { readonly returned: number; readonly asks: boolean }): Report {
    const used = account.spent
    account.spent = 0
    account.reports += 1
    const [first] = account.waiting
    const lacking = asks && first ? Math.max(0, first.amount - account.free) : 0
    const all = account.waiting.reduce((sum, { amount }) => sum + amount, 0)
    const back = Math.max(0, returned)
    account.free -= back
    return { number: account.reports, used, returned: back, need: lacking, wish: all + this.#options.chunk_nusd }
  }
}

const spentShare = ({ spent_usd, limit_usd }: BudgetState): number => (limit_usd > 0 ? spent_usd / limit_usd : Number.POSITIVE_INFINITY)

function serveInOrder(account: Account): number {
  let served = 0
  for (const { amount, answer } of account.waiting) {
    if (account.free < amount) break
    answer(reserveAmount(account, amount))
    served += 1
  }
  account.waiting.splice(0, served)
  return served
}

/** Of those who waited all the while, the ones that neither what is in hand nor what is free covers. A smaller one behind them may still go. */
function refuseUncovered(account: Account, { present, row }: { readonly present: number; readonly row: Row | undefined }): void {
  const covered = row ? account.free + row.bound - row.spent - row.leased : Number.NEGATIVE_INFINITY
  for (const waiter of account.waiting.splice(0, Math.max(0, present)).toReversed()) {
    if (waiter.amount <= covered) account.waiting.unshift(waiter)
    else waiter.answer(refusal(row))
  }
}

const refusal = (row: Row | undefined): Refusal =>
  row ? { refused: 'spent', spent_nusd: row.spent, reserved_nusd: row.leased, limit_nusd: row.bound } : { refused: 'unavailable' }

function reserveAmount(account: Account, amount: number): Reservation {
  account.free -= amount
  account.reserved += amount
  return {
    settle: (used) => {
      account.reserved -= amount
      account.spent += used
      account.free += amount - used
    },
  }
}
