/** OpenAI's images towards vendors that imitate them, for calls that do not pass as they came. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageRequest } from '../../canonical/image.ts';
import { isChatError } from '../../native-profile-chat.ts';
import { asNumber, inexpressible, present } from '../fields.ts';
import { lose } from '../loss.ts';
import { readMadeImages } from './index.ts';
import { readImageUsage } from './usage.ts';

export const imitatedImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'openai-images',

  encodeRequest({ model, prompt, count, size, quality, delivery, images, extra }, scope) {
    if (images.length > 0) throw inexpressible('image', 'images cannot be sent to this channel');
    // A whole image is an event for whoever asked for a stream.
    const { stream: _, partial_images, ...own } = extra;
    lose(scope, { partial_images });
    return { body: { ...own, model, prompt, n: count, ...present({ size, quality, response_format: delivery }) } };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length === 0) return isChatError(body) ? { kind: 'error', body } : { kind: 'empty' };
    return { ...present({ created: asNumber(body.created) }), images, usage: readImageUsage(body.usage) };
  },
};
