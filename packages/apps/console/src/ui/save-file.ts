// Saves a file from the browser like a download.

/** Chromium reads the URL after the click has returned. */
const KEPT_MS = 10_000

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
