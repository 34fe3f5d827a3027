/** Images by Gemini's models that answer with them. Source: providers/gemini.md, read 2026-11. */
import type { UpstreamCallFormat } from '../../call-format.ts';
import { type ImageAnswer, type ImageRequest, nearestRatio, pixelsOf } from '../../canonical/image.ts';
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asObjects, asOneOf, asWord, inexpressible, present } from '../fields.ts';
import { typeOfAddress } from '../gemini-generate/decode-contents.ts';
import { findGeminiUsage } from '../gemini-generate/usage.ts';
import { filteredBy } from '../gemini-generate/wire.ts';
import { loseQuality, loseSizeWord } from '../image-file.ts';
import { errorOf } from '../vendor-chat.ts';

const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

/** The smallest of the vendor's sizes whose longer side is no shorter than the one asked for. */
function imageSizeOf(asked: ImageRequest, lose: (field: string) => void): string | undefined {
  const { model, size } = asked;
  if (!/gemini-(?:[3-9]|\d\d)/.test(model)) {
    loseSizeWord(asked, lose);
    return undefined;
  }
  const pixels = pixelsOf(size);
  if (pixels === undefined) return asOneOf(size, ['1K', '2K', '4K']);
  const longer = Math.max(pixels.width, pixels.height);
  if (longer <= 1024) return '1K';
  return longer <= 2048 ? '2K' : '4K';
}

export const geminiImages: UpstreamCallFormat<ImageRequest, ImageAnswer> = {
  id: 'gemini-images',
  inlines: ['image'],

  encodeRequest(asked, scope) {
    if (asked.mask !== undefined) throw inexpressible('mask', 'masks cannot be sent to this channel');
    const parts: Json[] = asked.images.map((image) => {
      if (image.kind === 'inline') return { inlineData: { mimeType: image.mediaType, data: image.data } };
      if (image.kind === 'url') return { fileData: { fileUri: image.url, mimeType: typeOfAddress(image.url) } };
      throw inexpressible('images', 'files by id cannot be sent to this channel');
    });
    parts.push({ text: asked.prompt });
    loseQuality(asked, scope.lose);
    for (const name of Object.keys(asked.extra)) scope.lose(name);
    const imageConfig: JsonObject = present({
      aspectRatio: nearestRatio(asked.size, ratios),
      imageSize: imageSizeOf(asked, scope.lose),
    });
    return {
      body: {
        contents: [{ role: 'user', parts }],
        generationConfig: {
          responseModalities: ['TEXT', 'IMAGE'],
          ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
        },
      },
    };
  },

  decodeAnswer(body) {
    const parts = asObjects(body.candidates).flatMap((candidate) => asObjects(asObject(candidate.content)?.parts));
    const images = parts.flatMap((part) => {
      const inline = asObject(part.inlineData) ?? asObject(part.inline_data);
      const data = asWord(inline?.data);
      if (data === undefined || part.thought === true) return [];
      return [present({ data, mediaType: asWord(inline?.mimeType) ?? asWord(inline?.mime_type) })];
    });
    const usage = findGeminiUsage(body);
    if (images.length > 0) return { images, usage };
    if (asObject(body.promptFeedback)?.blockReason !== undefined || body.error !== undefined)
      return { kind: 'error', body, usage };
    const filter = filteredBy(body);
    if (filter !== undefined) {
      return { kind: 'error', body: errorOf('content_filter', `the image was filtered: ${filter}`, 400), usage };
    }
    const words = parts.flatMap((part) => (part.thought === true ? [] : (asWord(part.text) ?? []))).join('\n');
    // It answered, though with no image: what it says tells why.
    return words === '' ? { kind: 'empty', usage } : { kind: 'error', body: { error: { message: words } }, usage };
  },
};
