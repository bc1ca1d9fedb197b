import { expect, test } from 'vitest'
import { viewFolders, viewsOf } from './views.ts'

const files = (...paths: string[]) => paths.map((path) => ({ path }))

test('an artifact is shown by what it holds, in any directory', () => {
  const dataset = viewFolders(files('figures.json', 'sources.json', 'dataset.json', 'tokens-00000.bin'))
  expect(viewsOf(dataset, true)).toEqual(['overview', 'steps', 'distributions', 'document', 'versions'])
  expect(viewsOf(dataset, false)).toEqual(['overview', 'steps', 'distributions', 'document'])
  expect(viewFolders(files('web/dataset.json', 'code/dataset.json', 'data-order.json'))).toEqual({
    document: ['web/', 'code/'],
    mixture: [''],
  })
})

test('one that holds none of it has its overview alone', () => {
  expect(viewsOf(viewFolders(files('model.safetensors', 'my-figures.json')), true)).toEqual([])
})
