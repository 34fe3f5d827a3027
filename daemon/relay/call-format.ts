/**
 * The interfaces of the calls that are one question and one answer: embeddings, reranking, images, speech. A format has
 * up to two halves: what a client says and hears, and what an upstream is asked and answers; both meet in the canonical
 * shape of their capability. Pure, like the chat formats.
 */
import type { FetchedMedium } from './canonical/remote-media.ts';
import type { Usage } from './canonical/usage.ts';
import type { FormatId, Scope } from './format.ts';
import type { Json, JsonObject } from './json.ts';
import type { UnusableAnswer } from './native-answer.ts';

/** A question in an upstream's words. */
export interface WireRequest {
  readonly body: Json;
  /** Where the format has several operations: which one this is. */
  readonly operation?: string;
}

/** The upstream has not answered yet: it must be asked again, with the credentials of the first request. */
export interface FollowUp {
  readonly kind: 'follow-up';
  /** Path below the channel's address. */
  readonly path: string;
  /** Milliseconds to wait first. */
  readonly afterMs: number;
}

/** What the log tells of an answer that is no text. */
export interface MediaFacts {
  readonly image?: ImageFacts | undefined;
  readonly audio?: AudioFacts | undefined;
}

/** What is known of the images of an answer. */
export interface ImageFacts {
  readonly count: number;
  /** As the upstream reports it, else as it was asked for. */
  readonly size?: string | undefined;
  readonly quality?: string | undefined;
}

/** How long the audio of a call is. */
export interface AudioFacts {
  readonly seconds: number;
  /** The length is a guess by the number of bytes. */
  readonly estimated: boolean;
}

/** A complete answer in the client's words. */
export interface CallAnswer extends MediaFacts {
  readonly body: Buffer;
  readonly contentType: string;
  /** Undefined when neither the upstream nor the answer itself tells: then the request is counted. */
  readonly usage: Usage | undefined;
  /** Addresses of files that the client wants inside the body. */
  readonly files?: readonly string[];
  /** The body with these files in it, by address. */
  readonly withFiles?: (files: ReadonlyMap<string, FetchedMedium>) => Buffer;
}

/** The half of a format that asks an upstream. */
export interface UpstreamCallFormat<Asked, Said> {
  readonly id: FormatId;
  /** Throws `convert_request_failed` for what the format has no words for. */
  encodeRequest(asked: Asked, scope: Scope): WireRequest;
  decodeAnswer(body: JsonObject, asked: Asked, scope: Scope): Said | FollowUp | UnusableAnswer;
}

/** The half of a format that answers a client. */
export interface ClientCallFormat<Asked, Said> {
  readonly id: FormatId;
  /** Throws `invalid_request` with the field. */
  decodeRequest(body: JsonObject): Asked;
  encodeAnswer(said: Said, asked: Asked, scope: Scope): CallAnswer;
}

/** One call between two formats. */
export interface CallTranslation {
  readonly request: WireRequest;
  read(body: JsonObject): CallAnswer | FollowUp | UnusableAnswer;
}

/** A pair of halves: `body` is the client's, `model` the name that the upstream knows. */
export interface CallTranslator {
  readonly client: FormatId;
  readonly upstream: FormatId;
  open(body: JsonObject, model: string, scope: Scope): CallTranslation;
}

/** Every pair of the given halves. */
export function callTranslators<Asked extends { readonly model: string }, Said extends object>(
  clients: readonly ClientCallFormat<Asked, Said>[],
  upstreams: readonly UpstreamCallFormat<Asked, Said>[],
): CallTranslator[] {
  return clients.flatMap((client) =>
    upstreams.map((upstream) => ({
      client: client.id,
      upstream: upstream.id,
      open(body: JsonObject, model: string, scope: Scope): CallTranslation {
        const asked = { ...client.decodeRequest(body), model };
        return {
          request: upstream.encodeRequest(asked, scope),
          read(answer) {
            const said = upstream.decodeAnswer(answer, asked, scope);
            return isVerdict(said) ? said : client.encodeAnswer(said, asked, scope);
          },
        };
      },
    })),
  );
}

/** True for what is no answer: canonical answers have no member `kind`. */
function isVerdict<Said extends object>(said: Said | FollowUp | UnusableAnswer): said is FollowUp | UnusableAnswer {
  return 'kind' in said;
}

/** A JSON answer. */
export function jsonAnswer(json: Json, facts: Omit<CallAnswer, 'body' | 'contentType'>): CallAnswer {
  return { ...facts, body: Buffer.from(JSON.stringify(json)), contentType: 'application/json' };
}
