/**
 * The lane of a request whose files are handed in first, one by one: each answer names a file's id, and the last is
 * followed by the request itself.
 */
import type { FollowUp } from '../relay/call-format.ts';
import type { FileUploads } from '../relay/format.ts';
import { asObject, parseJson } from '../relay/formats/fields.ts';
import type { JsonObject } from '../relay/json.ts';
import type { ReplyHeaders } from '../upstream/transport.ts';
import { type EncodedForm, encodeForm, partsOf } from './form-body.ts';
import type { Lane, StreamCollector, StreamReader, Unusable, WholeAnswer } from './lane.ts';

/** What adapters are asked the address of for a file, and for the request that names it. */
const UPLOAD = 'upload';
const MESSAGE = 'message';

/** The first file on its way, and the lane that follows it with the rest. */
export interface Uploading extends EncodedForm {
  readonly lane: Lane;
  readonly operation: string;
}

/** Undefined for a body without files that must be handed in. */
export function uploading(body: JsonObject, uploads: FileUploads, lane: Lane): Uploading | undefined {
  const files = [...new Set(uploads.list(body))];
  const [first] = files;
  if (first === undefined) return undefined;
  const form = encodeForm(partsOf(uploads.form(first, body)));
  return { ...form, operation: UPLOAD, lane: new UploadingLane(lane, { body, uploads, files }) };
}

interface Work {
  readonly body: JsonObject;
  readonly uploads: FileUploads;
  /** Data URLs, each once. */
  readonly files: readonly string[];
}

class UploadingLane implements Lane {
  readonly #inner: Lane;
  readonly #work: Work;
  readonly #ids = new Map<string, string>();
  #asked = false;

  constructor(inner: Lane, work: Work) {
    this.#inner = inner;
    this.#work = work;
  }

  get conversion(): readonly string[] | undefined {
    return this.#inner.conversion;
  }

  whole(body: Buffer, contentType: string, headers: ReplyHeaders): WholeAnswer | Unusable | FollowUp {
    if (this.#asked) return this.#inner.whole(body, contentType, headers);
    const answer = asObject(parseJson(body.toString('utf8')));
    if (answer === undefined) return { kind: 'unreadable' };
    const { uploads, files } = this.#work;
    const id = uploads.readId(answer);
    const file = files[this.#ids.size];
    if (id === undefined || file === undefined) return { kind: 'error', body: answer };
    this.#ids.set(file, id);
    const next = files[this.#ids.size];
    if (next !== undefined) {
      const form = uploads.form(next, this.#work.body);
      return { kind: 'follow-up', operation: UPLOAD, body: form, encoding: 'form', afterMs: 0 };
    }
    this.#asked = true;
    return { kind: 'follow-up', operation: MESSAGE, body: uploads.place(this.#work.body, this.#ids), afterMs: 0 };
  }

  stream(contentType: string): StreamReader {
    return this.#inner.stream(contentType);
  }

  collect(): StreamCollector {
    return this.#inner.collect();
  }
}
