/** The same keys with other words: what a catalogue has to be next to the one its keys come from. */
export type TextsLike<T> = { readonly [K in keyof T]: T[K] extends string ? string : TextsLike<T[K]> };
