/** Words and media that together become one vector, as clients write them: in the parts of a chat. */
import type { Json, JsonObject } from '../../json.ts';
import { asObject, asText, asWord, inexpressible, invalid } from '../fields.ts';
import { camelKeys } from '../gemini-generate/wire.ts';
import { sourceOfUrl } from '../media.ts';

/** The parts in Gemini's words; undefined for a list without any, whose entries are inputs of their own. */
export function readInputParts(input: readonly Json[]): JsonObject[] | undefined {
  if (!input.some((entry) => asObject(entry) !== undefined)) return undefined;
  return input.map((entry, index) => readPart(entry, `input.${index}`));
}

function readPart(entry: Json, field: string): JsonObject {
  if (typeof entry === 'string') return { text: entry };
  const part = asObject(entry) ?? {};
  switch (part.type) {
    case 'text':
    case 'input_text':
      return { text: asText(part.text) ?? '' };
    case 'image_url':
      return readMedium(part.image_url, `${field}.image_url`, 'image/jpeg');
    case 'video_url':
      return readMedium(part.video_url, `${field}.video_url`, 'video/mp4');
    default:
      throw invalid(field, 'must be a string, a list of token ids, or a part: text, image_url or video_url');
  }
}

/** `usual` is what a medium by address is taken for. */
function readMedium(value: Json | undefined, field: string, usual: string): JsonObject {
  const url = asWord(value) ?? asWord(asObject(value)?.url);
  if (url === undefined) throw invalid(field, 'needs a url');
  const source = sourceOfUrl(url);
  if (source.kind === 'inline') return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { fileData: { fileUri: url, mimeType: usual } };
}

/** One of Gemini's parts in the words of a chat. Throws `convert_request_failed` for what is neither text nor picture nor film. */
export function chatPartOf(part: JsonObject): JsonObject {
  const { text, inlineData, fileData } = camelKeys(part);
  if (typeof text === 'string') return { type: 'text', text };
  const inline = camelKeys(inlineData);
  const file = camelKeys(fileData);
  const type = asWord(inline.mimeType) ?? asWord(file.mimeType) ?? '';
  const url = asWord(file.fileUri) ?? `data:${type};base64,${asText(inline.data) ?? ''}`;
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (type.startsWith('video/')) return { type: 'video_url', video_url: { url } };
  throw inexpressible('content.parts', 'parts other than text, images and videos cannot be sent to this channel');
}
