/** What a native answer says in other words than its upstream wrote: the model's name, names of events, how it ended. */
import { ModelName } from './native-model.ts';
import { EventNames } from './native-names.ts';
import type { StreamProfile } from './native-profile.ts';

/** Ends of chats in a vendor's own words, and OpenAI's for them. */
export type EndWords = Readonly<Record<string, string>>;

export interface WordingOptions {
  readonly profile: Pick<StreamProfile, 'modelMember' | 'namesEvents'>;
  /** Model name that the client asked for. */
  readonly model: string;
  /** Writes `model` over the name that the upstream reports. */
  readonly renameModel: boolean;
  readonly endWords?: EndWords | undefined;
}

/** The words of one stream. */
export class NativeWording {
  readonly #name: ModelName | undefined;
  readonly #eventNames: EventNames | undefined;
  readonly #ends: readonly (readonly [told: string, meant: string])[];

  constructor({ profile, model, renameModel, endWords = {} }: WordingOptions) {
    this.#eventNames = profile.namesEvents === true ? new EventNames() : undefined;
    this.#name = renameModel ? new ModelName(model, profile.modelMember) : undefined;
    this.#ends = Object.entries(endWords).flatMap(([told, meant]) =>
      // In the spellings that servers use. Within a text its quotation marks would be escaped.
      ['"finish_reason":"', '"finish_reason": "'].map((mark) => [`${mark}${told}"`, `${mark}${meant}"`] as const),
    );
  }

  /** The slice as the client is shown it; the same buffer where nothing of it changes. */
  apply(slice: Buffer): Buffer {
    let shown = this.#name === undefined ? slice : this.#name.apply(slice);
    for (const [told, meant] of this.#ends) {
      if (shown.indexOf(told) >= 0) shown = Buffer.from(shown.toString('latin1').replaceAll(told, meant), 'latin1');
    }
    return this.#eventNames === undefined ? shown : this.#eventNames.apply(shown);
  }
}
