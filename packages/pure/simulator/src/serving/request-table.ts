// The requests in flight, one column per property, so that nothing is allocated for one. A slot is taken when a request arrives and given
// back when it ends; the table is as large as the most that were in flight at once.

const FIRST_ROOM = 1024
const NONE = -1

export const SWAPPED = 1
export const SENT = 2

/** A request as it arrives. */
export type ArrivingRequest = {
  /** Seconds from the start. */
  at: number
  prompt: number
  output: number
  tenant: number
  /** The lower the sooner. */
  priority: number
  /** Of a low-rank adapter; 0 for the model itself. */
  adapter: number
  session: number
  /** Where its prefix hashes lie in the trace's list, and how many they are. */
  hashFirst: number
  hashCount: number
}

export const newArrivingRequest = (): ArrivingRequest => ({
  at: 0,
  prompt: 1,
  output: 1,
  tenant: 0,
  priority: 0,
  adapter: 0,
  session: 0,
  hashFirst: 0,
  hashCount: 0,
})

export class RequestTable {
  inFlight = 0

  at = new Float64Array(FIRST_ROOM)
  /** When the first step with tokens of its prompt began, and when the first token came; NaN before. */
  began = new Float64Array(FIRST_ROOM)
  firstToken = new Float64Array(FIRST_ROOM)
  prompt = new Int32Array(FIRST_ROOM)
  output = new Int32Array(FIRST_ROOM)
  tenant = new Int32Array(FIRST_ROOM)
  priority = new Int32Array(FIRST_ROOM)
  adapter = new Int32Array(FIRST_ROOM)
  session = new Int32Array(FIRST_ROOM)
  hashFirst = new Int32Array(FIRST_ROOM)
  hashCount = new Int32Array(FIRST_ROOM)
  /** Counts arrivals from 0: the identity of the request. */
  serial = new Float64Array(FIRST_ROOM)
  /** Output tokens made before it joined the decoding ones. */
  generated = new Int32Array(FIRST_ROOM)
  /** Tokens whose keys are computed, of those to prefill. */
  computed = new Int32Array(FIRST_ROOM)
  /** Of those, found in the cache when it was last admitted. */
  found = new Int32Array(FIRST_ROOM)
  /** Its keys come with it, nothing is to prefill: SWAPPED from host memory, SENT by another replica. */
  resident = new Uint8Array(FIRST_ROOM)
  /** Blocks of its own when it joined. */
  blocks = new Int32Array(FIRST_ROOM)
  /** Leading prefix entries it shares. */
  held = new Int32Array(FIRST_ROOM)
  /** Steps of its replica when it joined the decoding ones and when it will be done, and those until its first new block. */
  joined = new Float64Array(FIRST_ROOM)
  ends = new Float64Array(FIRST_ROOM)
  untilBlock = new Int32Array(FIRST_ROOM)
  replica = new Int32Array(FIRST_ROOM)
  /** Place in its replica's heap of ends. */
  place = new Int32Array(FIRST_ROOM)
  next = new Int32Array(FIRST_ROOM)
  previous = new Int32Array(FIRST_ROOM)

  private firstFree = NONE
  private taken = 0
  private arrived = 0

  take(from: Readonly<ArrivingRequest>): number {
    let slot = this.firstFree
    if (slot === NONE) {
      if (this.taken === this.at.length) this.grow()
      slot = this.taken
      this.taken += 1
    } else this.firstFree = this.next[slot]!
    this.at[slot] = from.at
    this.began[slot] = Number.NaN
    this.firstToken[slot] = Number.NaN
    this.prompt[slot] = from.prompt
    this.output[slot] = from.output
    this.tenant[slot] = from.tenant
    this.priority[slot] = from.priority
    this.adapter[slot] = from.adapter
    this.session[slot] = from.session
    this.hashFirst[slot] = from.hashFirst
    this.hashCount[slot] = from.hashCount
    this.serial[slot] = this.arrived
    this.generated[slot] = 0
    this.computed[slot] = 0
    this.resident[slot] = 0
    this.blocks[slot] = 0
    this.held[slot] = 0
    this.replica[slot] = NONE
    this.arrived += 1
    this.inFlight += 1
    return slot
  }

  giveBack(slot: number): void {
    this.next[slot] = this.firstFree
    this.firstFree = slot
    this.inFlight -= 1
  }

  private grow(): void {
    const room = 2 * this.at.length
    const doubles = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const into = new Float64Array(room)
      into.set(from)
      return into
    }
    const integers = (from: Int32Array): Int32Array<ArrayBuffer> => {
      const into = new Int32Array(room)
      into.set(from)
      return into
    }
    for (const name of DOUBLES) this[name] = doubles(this[name])
    for (const name of INTEGERS) this[name] = integers(this[name])
    const resident = new Uint8Array(room)
    resident.set(this.resident)
    this.resident = resident
  }
}

const DOUBLES = ['at', 'began', 'firstToken', 'serial', 'joined', 'ends'] as const
const INTEGERS = [
  'prompt',
  'output',
  'tenant',
  'priority',
  'adapter',
  'session',
  'hashFirst',
  'hashCount',
  'generated',
  'computed',
  'found',
  'blocks',
  'held',
  'untilBlock',
  'replica',
  'place',
  'next',
  'previous',
] as const
