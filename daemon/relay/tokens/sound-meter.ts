/** Counts the sound of a chat's answer as tokens, by how long its pieces play (relay.md 14.3). */
import { AudioMeter } from '../audio/audio-meter.ts';
import { BYTES_PER_SAMPLE, isSamples, SAMPLES_PER_SECOND } from '../audio/samples.ts';
import { soundTokens } from './audio-tokens.ts';

/** A piece of sound as chats bring it. */
export interface SoundPiece {
  /** Base64. */
  readonly data: string;
  /** Of a piece that says it; of others only their bytes can tell. */
  readonly mediaType?: string | undefined;
}

export class SoundMeter {
  /** Of samples and of files that came whole. */
  #seconds = 0;
  /** Pieces of unknown kind belong to one file, or are samples: streams of OpenAI's protocol have no other. */
  #pieces: AudioMeter | undefined;
  #pieceBytes = 0;

  add({ data, mediaType }: SoundPiece): void {
    if (mediaType === undefined) this.#addPiece(Buffer.from(data, 'base64'));
    else if (isSamples(mediaType)) this.#addSamples(Buffer.byteLength(data, 'base64'), mediaType);
    else {
      const file = new AudioMeter('file');
      file.push(Buffer.from(data, 'base64'));
      this.#seconds += file.facts().seconds;
    }
  }

  /** A piece of which only the size is known. */
  addUnread(base64Letters: number, mediaType: string | undefined): void {
    this.#addSamples((base64Letters * 3) / 4, mediaType);
  }

  /** Tokens of all that came so far. */
  get tokens(): number {
    const told = this.#pieces?.facts();
    const pieces = told === undefined || told.estimated ? secondsOf(this.#pieceBytes, undefined) : told.seconds;
    return soundTokens(this.#seconds + pieces);
  }

  #addPiece(bytes: Buffer): void {
    this.#pieces ??= new AudioMeter('file');
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
  }

  #addSamples(bytes: number, mediaType: string | undefined): void {
    this.#seconds += secondsOf(bytes, mediaType);
  }
}

function secondsOf(bytes: number, mediaType: string | undefined): number {
  const rate = Number(/\brate=(\d+)/i.exec(mediaType ?? '')?.[1] ?? SAMPLES_PER_SECOND) || SAMPLES_PER_SECOND;
  return bytes / BYTES_PER_SAMPLE / rate;
}
