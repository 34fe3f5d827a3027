/** OpenRouter's images, new ones and edits by one address. Source: providers/openrouter.md and the vendor's reference, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asNumber, inexpressible, present } from '../fields.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';
import { readImageUsage } from '../openai-images/usage.ts';

/** Members that go on as they are; what a model does not know is refused. */
const passed = new Set([
  'aspect_ratio',
  'background',
  'output_compression',
  'output_format',
  'provider',
  'resolution',
  'seed',
]);

export const openrouterImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'openrouter-images',

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    const references = asked.images.map((image): Json => {
      const url = imageAddress(image);
      if (url === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      return { type: 'image_url', image_url: { url } };
    });
    const { model, prompt, size, quality } = asked;
    const body: JsonObject = { model, prompt, ...present({ size, quality }) };
    if (asked.count > 1) body.n = asked.count;
    if (references.length > 0) body.input_references = references;
    for (const [name, value] of Object.entries(asked.extra)) {
      if (passed.has(name)) body[name] = value;
      else scope.lose(name);
    }
    return { body };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length > 0) {
      return { ...present({ created: asNumber(body.created) }), images, usage: readImageUsage(body.usage) };
    }
    return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
