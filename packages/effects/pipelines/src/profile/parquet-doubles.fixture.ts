// Writes a Parquet file of one column of doubles, uncompressed: values that JSON cannot write come from nowhere else.

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))])
const I32 = 5
const I64 = 6
const BINARY = 8
const LIST = 9
const STRUCT = 12

type Field = readonly [id: number, type: number, bytes: readonly number[]]

/** The compact protocol of Thrift. */
function struct(...fields: readonly Field[]): number[] {
  let last = 0
  const bytes = fields.flatMap(([id, type, value]) => {
    const header = ((id - last) << 4) | type
    last = id
    return [header, ...value]
  })
  return [...bytes, 0]
}

const whole = (value: number): number[] => varint(2 * value)
const text = (value: string): number[] => [...varint(Buffer.byteLength(value)), ...Buffer.from(value)]
const list = (type: number, ...items: readonly (readonly number[])[]): number[] => [(items.length << 4) | type, ...items.flat()]

const DOUBLE = whole(5)
const REQUIRED = whole(0)
const PLAIN = whole(0)
const RLE = whole(3)

export function parquetOfDoubles(column: string, values: readonly number[]): Buffer {
  const data = Buffer.from(Float64Array.from(values).buffer)
  const count = struct([1, I32, whole(values.length)], ...DATA_PAGE)
  const header = struct([1, I32, whole(0)], [2, I32, whole(data.length)], [3, I32, whole(data.length)], [5, STRUCT, count])
  const bytes = whole(header.length + data.length)
  const chunk = struct(
    [1, I32, DOUBLE],
    [2, LIST, list(I32, PLAIN)],
    [3, LIST, list(BINARY, text(column))],
    [4, I32, whole(0)],
    [5, I64, whole(values.length)],
    [6, I64, bytes],
    [7, I64, bytes],
    [9, I64, whole(4)],
  )
  const group = struct(
    [1, LIST, list(STRUCT, struct([2, I64, whole(4)], [3, STRUCT, chunk]))],
    [2, I64, bytes],
    [3, I64, whole(values.length)],
  )
  const schema = [
    struct([4, BINARY, text('rows')], [5, I32, whole(1)]),
    struct([1, I32, DOUBLE], [3, I32, REQUIRED], [4, BINARY, text(column)]),
  ]
  const footer = struct(
    [1, I32, whole(1)],
    [2, LIST, list(STRUCT, ...schema)],
    [3, I64, whole(values.length)],
    [4, LIST, list(STRUCT, group)],
  )
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([Buffer.from('PAR1'), Buffer.from(header), data, Buffer.from(footer), length, Buffer.from('PAR1')])
}

const DATA_PAGE: readonly Field[] = [
  [2, I32, PLAIN],
  [3, I32, RLE],
  [4, I32, RLE],
]
