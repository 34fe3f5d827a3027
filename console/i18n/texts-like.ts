/**
 * The same keys with other words: what a catalogue has to be next to the one its keys come from. Where that says
 * `key_other`, a language with a singular adds `key_one`.
 */
export type TextsLike<T> = { readonly [K in keyof T]: T[K] extends string ? string : TextsLike<T[K]> } & {
  readonly [K in keyof T as K extends `${infer Stem}_other` ? `${Stem}_one` : never]?: string;
};
