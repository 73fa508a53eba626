/** The parts of the package that are used; it has no types of its own. */
declare module '@echogarden/espeak-ng-emscripten' {
  interface EspeakWorker {
    /** 0: the voice was set. Anything else: it is unknown, and the one before stays. */
    set_voice(name: string): number
    /** Address of a zero-terminated UTF-8 string; the caller frees it. `ipa` 1: International Phonetic Alphabet. */
    text_to_phonemes(text: string, ipa: 0 | 1): object
  }
  interface EspeakModule {
    readonly eSpeakNGWorker: new () => EspeakWorker
    /** Memory of the module. Replaced when it grows: read it anew after each call. */
    readonly HEAPU8: Uint8Array
    getPointer(object: object): number
    _free(pointer: number): void
  }
  export default function load(): Promise<EspeakModule>
}
