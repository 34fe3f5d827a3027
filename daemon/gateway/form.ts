/** Reads a multipart form as it arrives, up to its limits (relay.md 17.3): fields in memory, files spooled. */
import { addAbortSignal, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { TollgateError } from '../errors.ts';
import { createDecoder, isIdentity } from '../upstream/content-coding.ts';
import type { Deadlines, Watched } from '../upstream/deadlines.ts';
import { hasLeft } from './body.ts';
import type { ClientRequest, Exchange } from './exchange.ts';
import type { Gates } from './gates.ts';
import { type SpooledFile, spool } from './spooled-file.ts';

export interface FormField {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  readonly kind: 'file';
  readonly name: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly content: SpooledFile;
}

/** A complete form, its parts in the order in which they came. */
export interface Form {
  readonly parts: readonly (FormField | FormFile)[];
}

export interface FormLimits {
  /** All parts together. */
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface FormDeps {
  readonly limits: FormLimits;
  /** Counts what all bodies have in memory. */
  readonly room: Pick<Gates, 'hold'>;
  readonly deadlines: Deadlines;
  /** Where large files go. */
  readonly folder: string;
  /** Sees the bytes of files as they pass, with the name under which each is sent. */
  readonly seen: (chunk: Buffer, name: string) => void;
}

const MAX_FIELDS = 200;
const MAX_FILES = 17;
const MAX_FIELD_BYTES = 4 * 1024 * 1024;
/** Characters of a field's name that a refusal repeats. */
const MAX_TOLD_NAME = 100;

/** True for the content type of a form with files. */
export function isForm(request: Pick<ClientRequest, 'headers'>): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

/** Gives back what a form keeps on disk. */
export async function discardForm(form: Form): Promise<void> {
  await Promise.all(form.parts.map((part) => (part.kind === 'file' ? part.content.discard() : undefined)));
}

/**
 * The whole form. Throws `payload_too_large`, `too_many_fields`, `too_many_files`, what `Gates.hold` refuses it with,
 * `request_body_stalled`, `read_request_body_failed`, and `invalid_request` for what is no form or has too long a field.
 */
export function readForm(exchange: Exchange, deps: FormDeps): Promise<Form> {
  const { request } = exchange;
  if (hasLeft(exchange)) return Promise.reject(new TollgateError('read_request_body_failed'));
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > deps.limits.maxBytes) {
    request.body.resume();
    return Promise.reject(new TollgateError('payload_too_large'));
  }
  return new FormReading(exchange, deps).whole;
}

function longField(name: string): TollgateError {
  const field = name.length > MAX_TOLD_NAME ? `${name.slice(0, MAX_TOLD_NAME)}…` : name;
  return new TollgateError(
    'invalid_request',
    { reason: `${field} must be at most ${MAX_FIELD_BYTES} bytes long` },
    { field },
  );
}

class FormReading implements Watched {
  readonly whole: Promise<Form>;
  readonly #exchange: Exchange;
  readonly #request: ClientRequest;
  readonly #deps: FormDeps;
  readonly #parts: Promise<FormField | FormFile>[] = [];
  #bytes = 0;
  #over = false;
  #lastByteMs: number;
  readonly #startedMs: number;
  #resolve: (form: Form) => void = () => {};
  #reject: (error: TollgateError) => void = () => {};
  #parser: InstanceType<typeof Busboy> | undefined;
  /** What the parser is fed from: the body, or what unpacks it. */
  #source: Readable | undefined;
  /** The parser leaves a file whose form was given up open: whoever takes it would wait for its rest for ever. */
  readonly #givenUp = new AbortController();
  readonly #place: number;

  constructor(exchange: Exchange, deps: FormDeps) {
    this.#exchange = exchange;
    this.#request = exchange.request;
    this.#deps = deps;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#place = deps.deadlines.watch(this);
    this.#startedMs = deps.deadlines.nowMs;
    this.#lastByteMs = this.#startedMs;
    try {
      this.#listen();
    } catch (cause) {
      // A content type without a boundary.
      this.#fail(new TollgateError('invalid_request', { reason: 'the form cannot be read' }, { cause }));
    }
  }

  check(nowMs: number): void {
    const { idleMs, totalMs } = this.#deps.limits;
    if (nowMs - this.#lastByteMs < idleMs && nowMs - this.#startedMs < totalMs) return;
    this.#fail(new TollgateError('request_body_stalled'));
  }

  #listen(): void {
    const { headers, body } = this.#request;
    const { maxFileBytes } = this.#deps.limits;
    const parser = new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { fields: MAX_FIELDS, files: MAX_FILES, fieldSize: MAX_FIELD_BYTES, fileSize: maxFileBytes },
    });
    this.#parser = parser;
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) this.#fail(longField(name));
      else this.#parts.push(Promise.resolve({ kind: 'field', name, value }));
      this.#hold(value.length);
    });
    parser.on('file', (name, content, filename, _, mediaType) => {
      const part = this.#file(content, { name, filename: filename ?? 'file', mediaType });
      // Whoever waits for the form hears of it; here it only must not go unheard.
      part.catch(() => undefined);
      this.#parts.push(part);
    });
    parser.on('fieldsLimit', () => this.#fail(new TollgateError('too_many_fields', { most: MAX_FIELDS })));
    parser.on('filesLimit', () => this.#fail(new TollgateError('too_many_files', { most: MAX_FILES })));
    parser.on('error', (cause) => {
      this.#fail(new TollgateError('invalid_request', { reason: 'the form cannot be read' }, { cause }));
    });
    parser.on('finish', () => this.#finish());
    const source = this.#unpacked();
    this.#source = source;
    source.on('data', (chunk: Buffer) => this.#take(chunk));
    source.on('end', () => parser.end());
    // Of a packed body a single piece may fill the parser: to hold back the pieces behind it would not do.
    parser.on('drain', () => source.resume());
    body.on('error', (cause) => this.#fail(new TollgateError('read_request_body_failed', {}, { cause })));
    body.on('close', () => {
      if (!this.#over && !body.readableEnded) this.#fail(new TollgateError('read_request_body_failed'));
    });
  }

  /** The bytes of the form, unpacked where they came packed. */
  #unpacked(): Readable {
    const { headers, body } = this.#request;
    const encoding = headers['content-encoding'];
    const decoder = isIdentity(encoding) ? undefined : createDecoder(encoding ?? '');
    if (decoder === undefined && !isIdentity(encoding)) {
      this.#fail(new TollgateError('read_request_body_failed'));
      return body;
    }
    decoder?.on('error', (cause) => this.#fail(new TollgateError('read_request_body_failed', {}, { cause })));
    return decoder === undefined ? body : body.pipe(decoder);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#lastByteMs = this.#deps.deadlines.nowMs;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#deps.limits.maxBytes) this.#fail(new TollgateError('payload_too_large'));
    else if (this.#parser?.write(chunk) === false) this.#source?.pause();
  }

  async #file(content: BusboyFileStream, named: Pick<FormFile, 'name' | 'filename' | 'mediaType'>): Promise<FormFile> {
    content.on('limit', () => this.#fail(new TollgateError('payload_too_large')));
    addAbortSignal(this.#givenUp.signal, content);
    const { folder, seen } = this.#deps;
    const spooling = spool(content, { folder, seen: (chunk) => seen(chunk, named.name) });
    const taken = await spooling.catch((cause: unknown) => {
      // The disk does not take it: a form that breaks off by itself is over before its file is.
      this.#fail(new TollgateError('internal_error', {}, { cause }));
      throw cause;
    });
    this.#hold(taken.heldBytes);
    return { kind: 'file', ...named, content: taken };
  }

  /** Nothing is counted any more for a form that was given up: its request may have left. */
  #hold(bytes: number): void {
    const refusal = this.#over ? undefined : this.#deps.room.hold(this.#exchange, bytes);
    if (refusal !== undefined) this.#fail(refusal);
  }

  #finish(): void {
    if (this.#over) return;
    Promise.all(this.#parts).then(
      (parts) => {
        if (this.#over) return;
        this.#stop();
        this.#resolve({ parts });
      },
      // Whoever took the file has said why.
      () => undefined,
    );
  }

  #fail(error: TollgateError): void {
    if (this.#over) return;
    this.#stop();
    // The rest is read and dropped, so that the answer can still reach a client that is busy sending.
    this.#request.body.unpipe().resume();
    this.#parser?.destroy();
    this.#givenUp.abort();
    for (const part of this.#parts) {
      part.then((done) => (done.kind === 'file' ? done.content.discard() : undefined)).catch(() => undefined);
    }
    this.#reject(error);
  }

  #stop(): void {
    this.#over = true;
    this.#deps.deadlines.forget(this, this.#place);
  }
}
