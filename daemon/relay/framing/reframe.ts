/**
 * Streams that come in another framing than server-sent events, as events: what reads streams knows one framing only.
 */
import { asObject, asText, asWord, parseJson } from '../formats/fields.ts';
import type { JsonObject } from '../json.ts';
import { AwsEventStreamParser, type AwsMessage } from './aws-event-stream.ts';
import { JsonLinesParser } from './json-lines.ts';
import { encodeSse } from './sse.ts';

/** Bytes in, the bytes of whole events out; undefined while none is complete. Throws `bad_response_body`. */
export type Reframer = (chunk: Buffer) => Buffer | undefined;

/** The reframer for a content type; undefined for event streams, and for what is no stream. */
export function reframerOf(contentType: string): Reframer | undefined {
  if (lineTypes.test(contentType)) return lineReframer();
  if (!contentType.startsWith('application/vnd.amazon.eventstream')) return undefined;
  const parser = new AwsEventStreamParser();
  return (chunk) => {
    const events = parser.push(chunk).flatMap((message) => eventOf(message) ?? []);
    return events.length === 0 ? undefined : Buffer.concat(events);
  };
}

const lineTypes = /^application\/(?:x-ndjson|x-jsonlines|jsonl|stream\+json)\b/;

function lineReframer(): Reframer {
  const parser = new JsonLinesParser();
  return (chunk) => {
    const lines = parser.push(chunk);
    return lines.length === 0 ? undefined : Buffer.concat(lines.map((data) => encodeSse({ data })));
  };
}

/** Figures of the host's own, which no client of the model's dialect expects. */
const hostFigures = 'amazon-bedrock-invocationMetrics';

/** One event of the stream, or an error in the words of Messages; undefined for frames that carry neither. */
function eventOf({ headers, payload }: AwsMessage): Buffer | undefined {
  const kind = headers.get(':message-type');
  const body = asObject(parseJson(payload.toString('utf8')));
  if (kind === 'exception' || kind === 'error') {
    const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'modelStreamErrorException';
    const message = asText(body?.message) ?? asText(body?.Message) ?? headers.get(':error-message') ?? type;
    return encodeSse({ event: 'error', data: JSON.stringify({ type: 'error', error: { type, message } }) });
  }
  const bytes = asText(body?.bytes);
  return bytes === undefined ? ownEvent(headers.get(':event-type'), body) : innerEvent(bytes);
}

/** An event of the host's own chat; `p` is padding. */
function ownEvent(type: string | undefined, body: JsonObject | undefined): Buffer | undefined {
  if (type === undefined || body === undefined) return undefined;
  const { p: _, ...rest } = body;
  return encodeSse({ event: type, data: JSON.stringify(rest) });
}

/** An event in the model's own dialect, packed in base64. */
function innerEvent(bytes: string): Buffer | undefined {
  const data = Buffer.from(bytes, 'base64').toString('utf8');
  const event = asObject(parseJson(data));
  const type = asWord(event?.type);
  if (event === undefined || type === undefined) return undefined;
  if (!(hostFigures in event)) return encodeSse({ event: type, data });
  const { [hostFigures]: _, ...rest } = event;
  return encodeSse({ event: type, data: JSON.stringify(rest) });
}
