/** The parts of the package that are used; it has no types of its own. */
declare module '@ffmpeg/core' {
  interface Core {
    readonly FS: FileSystem
    /** Memory of the module. Replaced when it grows: read it anew. */
    readonly HEAPU8: Uint8Array
    setLogger(logger: (line: { readonly type: string; readonly message: string }) => void): void
    /** Runs a command line to its end; returns its exit code. What a stream operation throws comes out here. */
    exec(...args: string[]): number
  }
  interface FileSystem {
    create(path: string, mode: number): FileNode
    writeFile(path: string, bytes: Uint8Array): void
    readFile(path: string): Uint8Array
    readonly ErrnoError: new (errno: number) => Error
  }
  interface FileNode {
    readonly id: number
    readonly mode: number
    node_ops: object
    stream_ops: object
  }
  interface Stream {
    position: number
  }
  interface Options {
    /** Instantiates the module with `imports` and hands the instance to `receive`. */
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): object
  }
  export default function createCore(options: Options): Promise<Core>
}

/** Node has it; its type declarations leave it to those of browsers. */
declare namespace WebAssembly {
  class Module {
    readonly [Symbol.toStringTag]: string
  }
  class Instance {
    readonly exports: object
  }
  class RuntimeError extends Error {}
  type Imports = object
  function compile(bytes: Uint8Array): Promise<Module>
  function instantiate(module: Module, imports: Imports): Promise<Instance>
}
