import { expect, test } from 'vitest'
import { swallowedErrors } from './swallowed-errors.ts'

test.each([
  ['thrown again', 'try { f() } catch { throw new Error("x") }'],
  ['returned', 'try { f() } catch (cause) { return reasonOf(cause) }'],
  ['logged', 'try { f() } catch (cause: unknown) {\n  log(cause)\n}'],
  ['a reason in it', 'try { f() } catch {\n  // It was not there.\n  return undefined\n}'],
  ['a reason above', '// Who comes next tries again.\nvoid f().catch(() => undefined)'],
  ['a reason beside', 'void f().catch(() => undefined) // it was not there'],
  ['handed to a function', 'await f().catch(report)'],
  ['looked at', 'await f().catch((cause: unknown) => g(cause))'],
  ['looked at by then', 'await f().then(\n  () => 1,\n  (cause: unknown) => g(cause),\n)'],
  ['only a then', 'await f().then(({ a, b }) => [a, b])'],
  ['outcomes looked at', 'const all = await Promise.allSettled(f())\nfor (const each of all) if (each.reason) g(each)'],
  ['in a text', `const text = 'try { f() } catch { }'`],
])('%s: an error that goes on', (_, text) => expect(swallowedErrors(text)).toEqual([]))

test.each([
  ['an empty catch', 'try { f() } catch {}'],
  ['an answer in its place', 'try {\n  f()\n} catch (cause) {\n  return undefined\n}', 3],
  ['a handler without a parameter', 'await f().catch(() => [])'],
  ['a parameter without a look', 'await f().catch((cause: unknown) => undefined)'],
  ['the second handler of then', 'await f().then(\n  (found) => found,\n  () => [],\n)'],
  ['outcomes not looked at', 'await Promise.allSettled(f())'],
  ['a template before it', 'const a = `${f(/}/)}/b/${c}`\ntry { f(`{`) } catch { g() }', 2],
  ['a bracket in a text', `try { f(')') } catch { g('}') }`],
])('%s: a swallowed error', (_, text, line = 1) => expect(swallowedErrors(text)).toEqual([line]))
