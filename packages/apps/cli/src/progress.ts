// A progress line on standard error when an operation takes longer than a second on a terminal. It is cleared before the answer.

const QUIET_ms = 1000
const EVERY_ms = 100

export type ProgressLine = { readonly tick: (count: number) => void; readonly clear: () => void }

export function progressLine(
  what: string,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  now: () => number = () => performance.now(),
): ProgressLine {
  const start = now()
  let done = 0
  let shown = start + QUIET_ms - EVERY_ms
  let visible = false
  return {
    tick: (count) => {
      done += count
      const time = now()
      if (!stream.isTTY || time - shown < EVERY_ms) return
      shown = time
      visible = true
      stream.write(`\r${done.toLocaleString('en')} ${what}, ${((time - start) / 1000).toFixed(0)} s`)
    },
    clear: () => {
      if (visible) stream.write('\r\u001B[K')
    },
  }
}
