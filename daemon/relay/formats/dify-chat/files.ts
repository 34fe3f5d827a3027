/** Files of a request to Dify: by their address, or handed in first and named by an id. Source: providers/dify.md, read 2026-11. */
import type { FileUploads } from '../../format.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asObjects, asWord } from '../fields.ts';
import { isOpen, isTextType, typeOfAudioFormat } from '../media.ts';

/** Files of a message's content; those inside the request stand with their data until they are handed in. */
export function encodeFiles(content: readonly JsonObject[]): JsonObject[] {
  return content.flatMap((part): JsonObject[] => {
    const url = addressOf(part);
    if (url === undefined) return [];
    if (!url.startsWith('data:')) return [{ type: kindOf(part), transfer_method: 'remote_url', url }];
    return [{ type: typeOf(url), transfer_method: 'local_file', upload_file_id: url }];
  });
}

function addressOf(part: JsonObject): string | undefined {
  const sound = asObject(part.input_audio);
  const data = asWord(sound?.data);
  if (data !== undefined && isOpen(data)) return data;
  if (data !== undefined) return `data:${typeOfAudioFormat(asWord(sound?.format) ?? 'wav')};base64,${data}`;
  return asWord(asObject(part.image_url)?.url) ?? asWord(asObject(part.file)?.file_data);
}

/** What the vendor reads as a document beside PDF and text; what it calls `custom` few applications take. */
const documents =
  /^application\/(?:pdf|msword|rtf|epub\+zip|vnd\.(?:ms-|openxmlformats-officedocument\.|oasis\.))|^message\//;

/** The vendor's word for a file at an address, which is not looked at. */
function kindOf({ input_audio: sound, image_url: image }: JsonObject): string {
  if (sound !== undefined) return 'audio';
  return image === undefined ? 'document' : 'image';
}

/** The vendor's word for a kind of file. */
function typeOf(url: string): string {
  const mediaType = /^data:([^;,]+)/.exec(url)?.[1] ?? '';
  const [kind = ''] = mediaType.split('/');
  if (kind === 'image' || kind === 'audio' || kind === 'video') return kind;
  return documents.test(mediaType) || isTextType(mediaType) ? 'document' : 'custom';
}

function isData(text: string | undefined): text is string {
  return text?.startsWith('data:') === true;
}

export const difyUploads: FileUploads = {
  list: (body) =>
    asObjects(body.files)
      .map((file) => asWord(file.upload_file_id))
      .filter(isData),
  // Whoever hands a file in is the only one who may name it.
  form: (file, body) => ({ file, user: body.user ?? '' }),
  readId: (answer) => asWord(answer.id),
  place: (body, ids) => ({
    ...body,
    files: asObjects(body.files).map((file) => {
      const id = ids.get(asWord(file.upload_file_id) ?? '');
      return id === undefined ? file : { ...file, upload_file_id: id };
    }),
  }),
};
