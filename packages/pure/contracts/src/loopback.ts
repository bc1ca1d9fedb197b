// Whether an address can be reached from this machine only: what passes there is seen by nobody who could not read it anyway.

/** A name that may resolve to anything is not loopback, except the one that every system keeps for it. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare)
}
