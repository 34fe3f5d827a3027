/** The members of a form together with its files, for upstreams that take JSON and must be given the files in it. */
import { mediaTypeOf } from '../relay/formats/media-type.ts';
import type { JsonObject } from '../relay/json.ts';
import type { Form, FormFile } from './form.ts';
import type { Inspection } from './inspect.ts';
import type { LaneChoice } from './lane-choice.ts';

/** Files that have a name of their own; all others are images. */
const ALONE: ReadonlySet<string> = new Set(['mask', 'file']);

export class FormMembers {
  readonly #loaded = new WeakMap<Form, JsonObject>();

  /** The members; a promise to wait for where files are not in memory yet. */
  of({ json, form }: Inspection, { lane }: LaneChoice): JsonObject | Promise<void> {
    if (form === undefined || lane !== 'converted') return json;
    return this.#loaded.get(form) ?? this.#load(json, form);
  }

  async #load(json: JsonObject, form: Form): Promise<void> {
    const files: JsonObject = {};
    const images: string[] = [];
    for (const part of form.parts) {
      if (part.kind === 'field') continue;
      const address = await dataUrl(part);
      if (ALONE.has(part.name)) files[part.name] = address;
      else images.push(address);
    }
    this.#loaded.set(form, { ...json, ...(images.length === 0 ? {} : { image: images }), ...files });
  }
}

async function dataUrl({ content, mediaType, filename }: FormFile): Promise<string> {
  const bytes = await content.bytes();
  const type = mediaTypeOf({ bytes, contentType: mediaType, name: filename });
  return `data:${type};base64,${bytes.toString('base64')}`;
}
