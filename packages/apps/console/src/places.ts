// Links to the pages of the console that can be opened in another tab, copied and shared.

export const runHref = (id: string): string => `#/runs?run=${encodeURIComponent(id)}`
export const deploymentHref = (name: string): string => `#/deployments?deployment=${encodeURIComponent(name)}`
export const nodeHref = (name: string): string => `#/fleet?node=${encodeURIComponent(name)}`
export const compareHref = (kind: 'runs' | 'plans', left: string, right = ''): string =>
  `#/compare?${new URLSearchParams({ kind, left, ...(right !== '' && { right }) }).toString()}`

/** A click anywhere in a row follows its link, unless it hits another control. */
export const followRow =
  (href: string) =>
  ({ target }: { readonly target: EventTarget }): void => {
    if (target instanceof Element && target.closest('a, button, input, label') === null) location.hash = href
  }
