/** Sound as vendors send it that answer with the file itself. */
import type { CallReply } from '../call-format.ts';
import type { SpeechRequest } from '../canonical/speech.ts';
import { mediaTypeOf } from './media-type.ts';

export interface SpokenFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** What was said, of a type that its bytes tell, else its server. */
export function spokenFile(bytes: Buffer, contentType: string): SpokenFile {
  return { bytes, mediaType: mediaTypeOf({ bytes, contentType, name: '' }) };
}

/** The sound of an answer that is nothing else; undefined for any other content. */
export function readSpokenFile(
  { body, contentType }: CallReply,
  { form }: Pick<SpeechRequest, 'form'>,
): SpokenFile | undefined {
  if (body.length === 0 || /json|^text\//i.test(contentType)) return undefined;
  return spokenFile(body, form === 'pcm' ? 'audio/pcm' : (contentType.split(';')[0] ?? '').trim());
}
