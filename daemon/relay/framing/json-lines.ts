/**
 * JSON lines: one JSON text a line, cut anywhere (Ollama, Cohere v1). Pure framing; the lines are not parsed.
 */
import { TollgateError } from '../../errors.ts';
import { MAX_EVENT_LENGTH } from './sse.ts';

/** Bytes in, non-empty lines out. `push` throws `bad_response_body` when a line exceeds `MAX_EVENT_LENGTH`. */
export class JsonLinesParser {
  readonly #decoder = new TextDecoder('utf-8');
  #line: string[] = [];
  #length = 0;

  push(chunk: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The last line, if it had no line end. */
  end(): string[] {
    const lines = this.#read(this.#decoder.decode());
    this.#endLine('', lines);
    return lines;
  }

  #read(text: string): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let stop = text.indexOf('\n'); stop >= 0; stop = text.indexOf('\n', start)) {
      this.#endLine(text.slice(start, stop), lines);
      start = stop + 1;
    }
    if (start < text.length) {
      this.#line.push(text.slice(start));
      this.#length += text.length - start;
      if (this.#length > MAX_EVENT_LENGTH) {
        throw new TollgateError('bad_response_body', {}, { cause: new Error('a JSON line is too long') });
      }
    }
    return lines;
  }

  #endLine(rest: string, lines: string[]): void {
    const line = (this.#line.length > 0 ? this.#line.join('') + rest : rest).trim();
    this.#line = [];
    this.#length = 0;
    if (line !== '') lines.push(line);
  }
}
