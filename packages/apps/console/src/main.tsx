import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { logIn } from './log-in.ts'
import { applyTheme } from './theme.ts'

declare module 'react' {
  /** Custom properties in `style`, which React passes through unchanged. */
  interface CSSProperties {
    [name: `--${string}`]: string | number
  }
}

applyTheme()
await logIn()
const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)
