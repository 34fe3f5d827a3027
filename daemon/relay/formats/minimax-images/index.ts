/** MiniMax's images. Source: providers/minimax.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio } from '../../canonical/image.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asTexts, inexpressible, present } from '../fields.ts';
import { loseQuality, loseSizeWord } from '../image-file.ts';
import { imageAddress } from '../openai-images/request.ts';

const ratios = ['1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9'];
const passed = new Set(['seed', 'prompt_optimizer', 'aspect_ratio', 'subject_reference']);

export const minimaxImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'minimax-images',

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    const references = asked.images.map((image) => {
      const file = imageAddress(image);
      if (file === undefined) throw inexpressible('images', 'files by id cannot be sent to this channel');
      return { type: 'character', image_file: file };
    });
    loseQuality(asked, scope.lose);
    loseSizeWord(asked, scope.lose);
    const own: JsonObject = {};
    for (const [name, value] of Object.entries(asked.extra)) {
      if (passed.has(name)) own[name] = value;
      else scope.lose(name);
    }
    return {
      body: {
        model: asked.model,
        prompt: asked.prompt,
        n: asked.count,
        response_format: asked.delivery === 'b64_json' ? 'base64' : 'url',
        ...present({ aspect_ratio: nearestRatio(asked.size, ratios) }),
        ...(references.length === 0 ? {} : { subject_reference: references }),
        ...own,
      },
    };
  },

  decodeAnswer(body) {
    // Refusals come as successes with a code.
    const code = asObject(body.base_resp)?.status_code;
    if (typeof code === 'number' && code !== 0) return { kind: 'error', body };
    const data = asObject(body.data);
    const images = [
      ...asTexts(data?.image_base64).map((inline) => ({ data: inline })),
      ...asTexts(data?.image_urls).map((url) => ({ url })),
    ];
    return images.length === 0 ? { kind: 'empty' } : { images, usage: undefined };
  },
};
