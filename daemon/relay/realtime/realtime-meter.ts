/**
 * What a realtime session consumes, turn by turn (relay.md 5.13): as the upstream reports it when an answer is done,
 * else by the audio and the texts that went to and fro.
 */
import { SAMPLE_BYTES_PER_SECOND } from '../audio/samples.ts';
import { addUsage, emptyUsage, tokenCount, type Usage } from '../canonical/usage.ts';
import { asNumber, asObject, asObjects, asText, asWord, parseJson } from '../formats/fields.ts';
import { audioTokens } from '../formats/openai-transcription/usage.ts';
import type { JsonObject } from '../json.ts';
import { estimateText, type TokenFamily } from '../tokens/estimate.ts';

/** Tokens a minute, as the vendor's own prices of old put them. */
const INPUT_TOKENS_PER_MINUTE = 100 / 0.06;
const OUTPUT_TOKENS_PER_MINUTE = 200 / 0.24;
const G711_BYTES_PER_SECOND = 8000;
/** Where an event's type is looked for before the event is parsed. */
const OPENING = 200;
/** A member of the event itself: those of what it holds are no business of this. */
const TYPE = /^\s*\{[^{}[\]]*?"type"\s*:\s*"([\w.]+)"/;

const OUTPUT_AUDIO = new Set(['response.audio.delta', 'response.output_audio.delta']);
const OUTPUT_TEXT = new Set([
  'response.audio_transcript.delta',
  'response.output_audio_transcript.delta',
  'response.text.delta',
  'response.output_text.delta',
  'response.function_call_arguments.delta',
]);
const TRANSCRIBED = 'conversation.item.input_audio_transcription.completed';

/** The type of a server's event; a look at its beginning is mostly enough. */
export function eventType(text: string): string {
  const found = TYPE.exec(text.slice(0, OPENING))?.[1] ?? '';
  return found.includes('.') || found === 'error' ? found : typeOf(asObject(parseJson(text)));
}

/** The type of an event, as servers read it: by the last of several members, in whatever letters it is escaped. */
export function typeOf(event: JsonObject | undefined): string {
  return asWord(event?.type) ?? '';
}

interface Counts {
  inputAudioSeconds: number;
  inputTextTokens: number;
  outputAudioSeconds: number;
  outputTextTokens: number;
}

const nothing = (): Counts => ({
  inputAudioSeconds: 0,
  inputTextTokens: 0,
  outputAudioSeconds: 0,
  outputTextTokens: 0,
});

export class RealtimeMeter {
  readonly #family: TokenFamily;
  #turn = nothing();
  #extra: Usage | undefined;
  #inputRate = SAMPLE_BYTES_PER_SECOND;
  #outputRate = SAMPLE_BYTES_PER_SECOND;
  #session = '';

  constructor(family: TokenFamily) {
    this.#family = family;
  }

  /**
   * @param type what the upstream is asked
   * @param said the client's own event
   */
  fromClient(type: string, said: JsonObject | undefined): void {
    switch (type) {
      case 'input_audio_buffer.append':
        this.#turn.inputAudioSeconds += base64Bytes(asText(said?.audio)?.length ?? 0) / this.#inputRate;
        break;
      case 'conversation.item.create':
        this.#addItem(asObject(said?.item));
        break;
      case 'session.update':
        this.#learnSession(asObject(said?.session));
        break;
      default:
        break;
    }
  }

  /** The usage of a turn that this event ends; undefined while none does. */
  fromServer(type: string, text: string): Usage | undefined {
    if (OUTPUT_AUDIO.has(type)) this.#turn.outputAudioSeconds += bytesIn(text, 'delta') / this.#outputRate;
    else if (OUTPUT_TEXT.has(type))
      this.#turn.outputTextTokens += this.#tokens(asText(asObject(parseJson(text))?.delta));
    else if (type === 'session.created' || type === 'session.updated') {
      this.#learnFormats(asObject(asObject(parseJson(text))?.session));
    } else if (type === TRANSCRIBED) this.#extra = sum(this.#extra, readTranscript(asObject(parseJson(text))?.usage));
    else if (type === 'response.done') {
      const response = asObject(asObject(parseJson(text))?.response);
      return this.#hasFailed(response) ? undefined : this.#endTurn(response);
    }
    return undefined;
  }

  /** What was reported outside of answers and is in no turn yet: transcripts. Each report is taken once. */
  takeReported(): Usage | undefined {
    const reported = this.#extra;
    this.#extra = undefined;
    return reported;
  }

  /** What an answer under way has come to so far; undefined between answers, when nobody knows what will be read. */
  running(): Usage | undefined {
    return this.#isAnswering ? sum(this.#extra, this.#estimated()) : undefined;
  }

  /** What a session that ends now leaves without a report: what was said of an answer, and what transcripts cost. */
  takeUnfinished(): Usage | undefined {
    return this.#isAnswering ? this.#endTurn(undefined) : this.takeReported();
  }

  get #isAnswering(): boolean {
    const { outputAudioSeconds, outputTextTokens } = this.#turn;
    return outputAudioSeconds > 0 || outputTextTokens > 0;
  }

  /**
   * An answer that failed before a word of it, and that nobody reports any usage of, is no turn (relay.md 15.8): what
   * was asked waits for the next.
   */
  #hasFailed(response: JsonObject | undefined): boolean {
    return response?.status === 'failed' && !this.#isAnswering && readUsage(response.usage) === undefined;
  }

  #endTurn(response: JsonObject | undefined): Usage {
    const usage = sum(this.#extra, readUsage(response?.usage) ?? this.#estimated());
    this.#turn = nothing();
    this.#extra = undefined;
    return usage ?? emptyUsage();
  }

  #estimated(): Usage {
    const turn = this.#turn;
    const promptAudio = Math.round((turn.inputAudioSeconds * INPUT_TOKENS_PER_MINUTE) / 60);
    const completionAudio = Math.round((turn.outputAudioSeconds * OUTPUT_TOKENS_PER_MINUTE) / 60);
    return {
      ...emptyUsage('estimated'),
      prompt: promptAudio + turn.inputTextTokens,
      promptAudio,
      completion: completionAudio + turn.outputTextTokens,
      completionAudio,
    };
  }

  #addItem(item: JsonObject | undefined): void {
    for (const part of asObjects(item?.content)) {
      this.#turn.inputTextTokens += this.#tokens(asText(part.text));
      const audio = asText(part.audio);
      if (audio !== undefined) this.#turn.inputAudioSeconds += base64Bytes(audio.length) / this.#inputRate;
    }
    this.#turn.inputTextTokens += this.#tokens(asText(item?.output));
  }

  /** Instructions and tools are read by the model anew when they change. */
  #learnSession(session: JsonObject | undefined): void {
    if (session === undefined) return;
    this.#learnFormats(session);
    const text = `${asText(session.instructions) ?? ''}${session.tools === undefined ? '' : JSON.stringify(session.tools)}`;
    if (text === '' || text === this.#session) return;
    this.#session = text;
    this.#turn.inputTextTokens += this.#tokens(text);
  }

  #learnFormats(session: JsonObject | undefined): void {
    const audio = asObject(session?.audio);
    const input = asWord(session?.input_audio_format) ?? asWord(asObject(asObject(audio?.input)?.format)?.type);
    const output = asWord(session?.output_audio_format) ?? asWord(asObject(asObject(audio?.output)?.format)?.type);
    if (input !== undefined) this.#inputRate = bytesPerSecond(input);
    if (output !== undefined) this.#outputRate = bytesPerSecond(output);
  }

  #tokens(text: string | undefined): number {
    return text === undefined || text === '' ? 0 : estimateText(this.#family, text);
  }
}

function bytesPerSecond(format: string): number {
  return /g711|pcmu|pcma/i.test(format) ? G711_BYTES_PER_SECOND : SAMPLE_BYTES_PER_SECOND;
}

/** Bytes that a member holds in base64, found without parsing the event. */
function bytesIn(text: string, member: string): number {
  const name = text.indexOf(`"${member}"`);
  if (name < 0) return 0;
  const start = text.indexOf('"', text.indexOf(':', name)) + 1;
  const end = start === 0 ? -1 : text.indexOf('"', start);
  return end < 0 ? 0 : base64Bytes(end - start);
}

function base64Bytes(characters: number): number {
  return Math.floor((characters * 3) / 4);
}

/** `usage` of an answer that is done; undefined when it is missing or says nothing. */
function readUsage(value: JsonObject[string] | undefined): Usage | undefined {
  const wire = asObject(value);
  const prompt = tokenCount(wire?.input_tokens);
  const completion = tokenCount(wire?.output_tokens);
  if (prompt === 0 && completion === 0) return undefined;
  // Qwen writes them in the plural.
  const input = asObject(wire?.input_token_details) ?? asObject(wire?.input_tokens_details);
  const cached = asObject(input?.cached_tokens_details);
  const output = asObject(wire?.output_token_details) ?? asObject(wire?.output_tokens_details);
  return {
    ...emptyUsage(),
    prompt,
    cached: tokenCount(input?.cached_tokens),
    promptAudio: Math.max(0, tokenCount(input?.audio_tokens) - tokenCount(cached?.audio_tokens)),
    promptImage: Math.max(0, tokenCount(input?.image_tokens) - tokenCount(cached?.image_tokens)),
    completion,
    completionAudio: tokenCount(output?.audio_tokens),
  };
}

/**
 * `usage` of a transcript: tokens, or its length (relay.md 5.8). So many tokens a minute have no price of sound, which is
 * that of the model that answers.
 */
function readTranscript(value: JsonObject[string] | undefined): Usage | undefined {
  const prompt = audioTokens(asNumber(asObject(value)?.seconds) ?? 0);
  return readUsage(value) ?? (prompt > 0 ? { ...emptyUsage(), prompt } : undefined);
}

/** Both usages together; for the sums of a session. */
export function sum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  return one === undefined || other === undefined ? (one ?? other) : addUsage(one, other);
}

/**
 * The event, which stands in this text, with this name for its session's model, where it names one. A member that comes
 * twice is there once then.
 */
export function withModel(event: JsonObject | undefined, text: string, model: string): string {
  const session = asObject(event?.session);
  if (event === undefined || session === undefined) return text;
  return JSON.stringify(session.model === undefined ? event : { ...event, session: { ...session, model } });
}
