/**
 * Edits at Baidu Qianfan, which are JSON. Source: providers/baidu.md (V2); members: cloud.baidu.com/doc/qianfan-api
 * (image editing), read 2026-11.
 */
import type { UpstreamCallFormat } from '../../call-format.ts';
import type { ImageAnswer, ImageInput, ImageRequest } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { isChatError } from '../../native-profile-chat.ts';
import { asNumber, inexpressible, present } from '../fields.ts';
import { loseQuality, withNumbers, wordsOf } from '../image-file.ts';
import { readMadeImages } from '../openai-images/index.ts';
import { imageAddress } from '../openai-images/request.ts';

const numeric = new Set(['seed', 'steps', 'guidance']);
const passed = new Set([...numeric, 'negative_prompt', 'watermark', 'prompt_extend', 'feature']);

/** The model that paints inside masks. */
function takesMask(model: string): boolean {
  return /irag-edit/i.test(model);
}

function addressOf(image: ImageInput, field: string): string {
  const address = imageAddress(image);
  if (address === undefined) throw inexpressible(field, 'files by id cannot be sent to this channel');
  return address;
}

function sources({ model, images, mask }: ImageRequest): JsonObject {
  const addresses = images.map((image) => addressOf(image, 'image'));
  const [only = '', another] = addresses;
  const members: JsonObject = { image: another === undefined ? only : addresses };
  if (!takesMask(model)) {
    if (mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this model');
    return members;
  }
  if (another !== undefined) throw inexpressible('image', 'this model edits one image');
  if (mask === undefined) return { ...members, feature: 'variation' };
  return { ...members, feature: 'repaint', mask: addressOf(mask, 'mask') };
}

export const qianfanImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'qianfan-images',
  maskShade: ({ model }) => (takesMask(model) ? 'white' : undefined),

  encodeRequest(asked, scope) {
    loseQuality(asked, scope.lose);
    const own = withNumbers(wordsOf(asked.extra, passed, scope.lose), numeric);
    const size = asked.size === 'auto' ? undefined : asked.size;
    const { model, prompt, count } = asked;
    return { body: { ...sources(asked), ...own, model, prompt, n: count, ...present({ size }) } };
  },

  decodeAnswer(body) {
    const images = readMadeImages(body.data);
    if (images.length === 0) return isChatError(body) ? { kind: 'error', body } : { kind: 'empty' };
    return { ...present({ created: asNumber(body.created) }), images, usage: undefined };
  },
};
