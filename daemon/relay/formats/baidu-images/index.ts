/** Images of Baidu's first generation. Source: providers/baidu.md (V1), read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, pixelsOf } from '../../canonical/image.ts';
import { asNumber, asObjects, asWord, inexpressible, present } from '../fields.ts';
import { loseQuality, loseSizeWord, wordsOf } from '../image-file.ts';

const passed = new Set(['negative_prompt', 'steps', 'sampler_index', 'seed', 'cfg_scale', 'style', 'user_id']);

export const baiduImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'baidu-images',

  encodeRequest(asked, scope) {
    if (asked.images.length > 0) throw inexpressible('image', 'images cannot be sent to this channel');
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const size = pixelsOf(asked.size) === undefined ? undefined : asked.size;
    const own = wordsOf(asked.extra, passed, scope.lose);
    return { body: { ...own, prompt: asked.prompt, n: asked.count, ...present({ size }) } };
  },

  decodeAnswer(body) {
    const images = asObjects(body.data).flatMap(({ b64_image: image }) => {
      const data = asWord(image);
      return data === undefined ? [] : [{ data }];
    });
    if (images.length > 0) return { ...present({ created: asNumber(body.created) }), images, usage: undefined };
    return body.error_code === undefined ? { kind: 'empty' } : { kind: 'error', body };
  },
};
