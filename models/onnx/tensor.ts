import assert from 'node:assert/strict'
import onnxProto, { type onnx } from 'onnx-proto'

/** A constant of a graph: row-major values of `dims`. Int64 values keep their full range. */
export interface Tensor {
  readonly dims: readonly number[]
  readonly values: TensorValues
}
export type TensorValues = Float32Array | Int8Array | Uint8Array | Int32Array | BigInt64Array

const { TensorProto } = onnxProto.onnx
const { DataType } = TensorProto
export const FLOAT32: number = DataType.FLOAT
export const INT32: number = DataType.INT32
export const INT64: number = DataType.INT64
export const BOOL: number = DataType.BOOL

export function floats(values: ArrayLike<number>, dims: readonly number[] = [values.length]): Tensor {
  return { dims, values: Float32Array.from(values) }
}

export function scalar(value: number): Tensor {
  return { dims: [], values: Float32Array.of(value) }
}

export function integers(values: readonly number[], dims: readonly number[] = [values.length]): Tensor {
  return { dims, values: BigInt64Array.from(values, BigInt) }
}

/** Copies the values out of the message, so that they are aligned and the file's bytes can be freed. */
export function decodeTensor(message: onnx.ITensorProto): Tensor {
  const dims = (message.dims ?? []).map(Number)
  const count = dims.reduce((product, dim) => product * dim, 1)
  const values = decodeValues(message)
  assert.equal(values.length, count, `${message.name} holds ${values.length} values for ${dims.join('x')}`)
  return { dims, values }
}

export function encodeTensor(name: string, tensor: Tensor): onnx.ITensorProto {
  return { name, dims: [...tensor.dims], dataType: dataTypeOf(tensor.values), rawData: bytesOf(tensor) }
}

/** The values as they lie in memory; not a copy. */
export function bytesOf({ values }: Tensor): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

function decodeValues(message: onnx.ITensorProto): TensorValues {
  const raw = message.rawData
  if (raw !== null && raw !== undefined && raw.length > 0) {
    const bytes = new Uint8Array(raw).buffer
    switch (message.dataType) {
      case DataType.FLOAT:
        return new Float32Array(bytes)
      case DataType.INT8:
        return new Int8Array(bytes)
      case DataType.UINT8:
        return new Uint8Array(bytes)
      case DataType.INT32:
        return new Int32Array(bytes)
      case DataType.INT64:
        return new BigInt64Array(bytes)
    }
  }
  switch (message.dataType) {
    case DataType.FLOAT:
      return Float32Array.from(message.floatData ?? [])
    case DataType.INT8:
      return Int8Array.from(message.int32Data ?? [])
    case DataType.UINT8:
      return Uint8Array.from(message.int32Data ?? [])
    case DataType.INT32:
      return Int32Array.from(message.int32Data ?? [])
    case DataType.INT64:
      return BigInt64Array.from((message.int64Data ?? []).map((value) => BigInt(value.toString())))
  }
  throw new Error(`${message.name} has the unexpected element type ${message.dataType}`)
}

export function dataTypeOf(values: TensorValues): number {
  if (values instanceof Float32Array) return DataType.FLOAT
  if (values instanceof Int8Array) return DataType.INT8
  if (values instanceof Uint8Array) return DataType.UINT8
  if (values instanceof Int32Array) return DataType.INT32
  return DataType.INT64
}
