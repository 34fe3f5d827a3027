/** xAI's images: edits are JSON too, and shapes are ratios. Source: providers/xai.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio, pixelsOf } from '../../canonical/image.ts';
import type { Scope } from '../../format.ts';
import { asNumber, asObjects, inexpressible, present } from '../fields.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';
import { errorOf } from '../vendor-chat.ts';

const ratios = [
  ...['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '2:1', '1:2', '19.5:9', '9:19.5', '20:9', '9:20', '21:9'],
  '5:2',
];
const passed = ['aspect_ratio', 'resolution', 'user'];
const maxSources = 5;
/** Pixels of the longer side up to which nothing more than the usual size is asked for. */
const mostUsual = 1536;
/** Pixels of the longer side that only pictures of the next size have. */
const leastBeyond = 3840;
/** Words of the models that have any; the older ones have none. */
const qualities: ReadonlyMap<string | undefined, string> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['standard', 'medium'],
  ['auto', 'auto'],
]);

function qualityOf({ model, quality }: ImageRequest, scope: Scope): string | undefined {
  const word = model.startsWith('grok-imagine-image-2') ? qualities.get(quality) : undefined;
  if (word === undefined && quality !== undefined && quality !== 'auto') scope.lose('quality');
  return word;
}

/** Larger than what is made of itself: there is one such word, which is too small for some. */
function resolutionOf({ size }: ImageRequest, scope: Scope): string | undefined {
  const { width, height } = pixelsOf(size) ?? { width: 0, height: 0 };
  const longest = Math.max(width, height);
  if (size === '4K' || longest >= leastBeyond) scope.lose('size');
  return size === '2K' || size === '4K' || longest > mostUsual ? '2k' : undefined;
}

export const xaiImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'xai-images',

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    if (asked.images.length > maxSources) throw inexpressible('image', `at most ${maxSources} images can be edited`);
    const images = asked.images.map((image) => {
      const url = imageAddress(image);
      if (url === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      return { type: 'image_url', url };
    });
    const [only, another] = images;
    const own: Record<string, string> = {};
    for (const name of Object.keys(asked.extra)) {
      const value = asked.extra[name];
      if (passed.includes(name) && typeof value === 'string') own[name] = value;
      else scope.lose(name);
    }
    return {
      body: present({
        model: asked.model,
        prompt: asked.prompt,
        n: asked.count === 1 ? undefined : asked.count,
        response_format: asked.delivery,
        quality: qualityOf(asked, scope),
        aspect_ratio: nearestRatio(asked.size, ratios),
        resolution: resolutionOf(asked, scope),
        image: another === undefined ? only : undefined,
        images: another === undefined ? undefined : images,
        ...own,
      }),
      operation: images.length === 0 ? 'generations' : 'edits',
    };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    // The vendor says so of each picture that its filter took, and leaves it out.
    const isFiltered = asObjects(body.data).some((entry) => entry.respect_moderation === false);
    if (images.length === 0 && isFiltered) {
      return { kind: 'error', body: errorOf('content_filter', 'the image was filtered by moderation', 400) };
    }
    if (images.length === 0) return body.error === undefined ? { kind: 'empty' } : { kind: 'error', body };
    return { ...present({ created: asNumber(body.created) }), images, usage: undefined };
  },
};
