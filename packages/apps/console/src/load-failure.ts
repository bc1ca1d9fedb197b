// A part of the console that cannot be loaded: after an upgrade, a tab that was opened before asks for files that are gone.

const FAILED = 'ironlaw-load-failure'

/** For what React does not see, such as the script of a worker. */
export const reportLoadFailure = (): void => {
  dispatchEvent(new Event(FAILED))
}

export function onLoadFailure(listener: () => void): () => void {
  addEventListener(FAILED, listener)
  return () => removeEventListener(FAILED, listener)
}

/** As Chromium, Firefox and Safari word it for scripts, and Vite for style sheets. */
const MESSAGES = [/dynamically imported module/i, /importing a module script failed/i, /unable to preload css/i]

/** Whether a script or style sheet of the console was not there. */
export const isLoadFailure = (error: unknown): boolean => error instanceof Error && MESSAGES.some((message) => message.test(error.message))
