// The container inside @peculiar/x509 refuses to load without `Reflect.getMetadata`, which decorators of TypeScript would fill. It injects
// nothing by type there, so three functions over a map are enough, and a polyfill of a thousand lines is not needed.

const metadata = new WeakMap<object, Map<unknown, unknown>>()

const read = (key: unknown, target: object): unknown => metadata.get(target)?.get(key)

function define(key: unknown, value: unknown, target: object): void {
  const found = metadata.get(target) ?? new Map<unknown, unknown>()
  metadata.set(target, found.set(key, value))
}

export function provideMetadata(): void {
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, { getMetadata: read, getOwnMetadata: read, defineMetadata: define })
}
