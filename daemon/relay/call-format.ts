/**
 * The interfaces of the calls that are one question and one answer: embeddings, reranking, images, speech. A format has
 * up to two halves: what a client says and hears, and what an upstream is asked and answers; both meet in the canonical
 * shape of their capability. Pure, like the chat formats.
 */
import type { AudioFacts } from './audio/length.ts';
import type { MaskShade } from './canonical/image.ts';
import type { FetchedMedium, MediaKind } from './canonical/remote-media.ts';
import { addUsage, type Usage } from './canonical/usage.ts';
import type { FileUploads, FormatId, Scope } from './format.ts';
import { asObject, parseJson } from './formats/fields.ts';
import type { FurtherQuestion } from './further-question.ts';
import type { Json, JsonObject } from './json.ts';
import type { UnusableAnswer } from './native-answer.ts';
import type { SocketTalk } from './socket-talk.ts';

/** A question in an upstream's words. */
export interface WireRequest {
  readonly body: Json;
  /** Where the format has several operations: which one this is. */
  readonly operation?: string;
  /**
   * `form`: the members go as the fields of a form; data URLs among them as its files. `bytes`: the body is base64, and
   * goes as what it stands for. Undefined: as JSON.
   */
  readonly encoding?: 'form' | 'bytes';
  /** `GET`: a question without a body. The one given is for a later step, and comes back with the reply. */
  readonly method?: 'GET';
  /** What is said and heard on a socket once the body has been sent as its first frame. */
  readonly talk?: SocketTalk;
}

/** What an upstream answered, before anything is known of it. */
export interface CallReply {
  readonly body: Buffer;
  /** The request's body as the operator has changed it; undefined where nobody may change it. */
  readonly asked?: Json;
  readonly contentType: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The upstream has not answered yet: it must be asked again. */
export interface FollowUp extends FurtherQuestion {
  readonly kind: 'follow-up';
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

/** A complete answer in the client's words. */
export interface CallAnswer extends MediaFacts {
  readonly body: Buffer;
  readonly contentType: string;
  /** Undefined when neither the upstream nor the answer itself tells: then the request is counted. */
  readonly usage: Usage | undefined;
  /** Addresses of files that the client wants inside the body. */
  readonly files?: readonly string[];
  /** The answer with these files in it, by address. Throws `read_response_body_failed` where it is nothing without them. */
  readonly withFiles?: (files: ReadonlyMap<string, FetchedMedium>) => CallAnswer;
}

/** Sound that goes on as it comes, and what its upstream says of it beside. */
export interface LiveSound {
  /** As the upstream reports it, else as its own rules count the text. */
  usage(): Usage;
  /** The upstream has said that this was all. */
  readonly isComplete: boolean;
  /** What the upstream said went wrong after the sound had begun. */
  readonly error: JsonObject | undefined;
}

/** One call whose steps, or frames, build on each other. */
export interface CallSteps<Said> {
  readonly request: WireRequest;
  /** Set where the answer is sound that comes in pieces. */
  readonly live?: LiveSound;
  read(reply: CallReply): Said | FollowUp | UnusableAnswer;
}

/** The half of a format that asks an upstream. */
export type UpstreamCallFormat<Asked, Said> = OneQuestionFormat<Asked, Said> | StepwiseFormat<Asked, Said>;

/** An upstream that must be told, or tells, one thing after the other. */
export interface StepwiseFormat<Asked, Said> {
  readonly id: FormatId;
  /** As of other formats. */
  readonly inlines?: readonly MediaKind[];
  /** Made anew for each attempt. Throws `convert_request_failed` for what the format has no words for. */
  open(asked: Asked, scope: Scope): CallSteps<Said>;
}

/** An upstream that is asked one question. */
export interface OneQuestionFormat<Asked, Said> {
  readonly id: FormatId;
  /** Media that this wire has to be given inline: whoever may use the network puts them in. Undefined: none. */
  readonly inlines?: readonly MediaKind[];
  /** Undefined: files travel inside the request, or by their address. */
  readonly uploads?: FileUploads;
  /** How masks are to be painted that come as OpenAI defines them. Undefined: they go as they are, or none may. */
  maskShade?(asked: Asked): MaskShade | undefined;
  /** Throws `convert_request_failed` for what the format has no words for. */
  encodeRequest(asked: Asked, scope: Scope): WireRequest;
  decodeAnswer(body: JsonObject, asked: Asked, scope: Scope): Said | FollowUp | UnusableAnswer;
  /** For answers that are no JSON object, or stand in headers. Undefined: the reply is read as JSON. */
  decodeReply?(reply: CallReply, asked: Asked): Said | FollowUp | UnusableAnswer | undefined;
}

/** The half of a format that answers a client. */
export interface ClientCallFormat<Asked, Said> {
  readonly id: FormatId;
  /** Throws `invalid_request` with the field. */
  decodeRequest(body: JsonObject): Asked;
  encodeAnswer(said: Said, asked: Asked, scope: Scope): CallAnswer;
}

/** What an upstream has done of a call, whether or not it comes to an answer. */
export interface Consumed {
  readonly usage: Usage;
  readonly image?: ImageFacts;
}

/** How a capability divides what an upstream takes only so much of at once, and puts the answers together. */
export interface Division<Asked, Said> {
  /** Questions of at most so much each, in order. */
  split(asked: Asked, atOnce: number): readonly Asked[];
  /** The answer to all of them; undefined for answers that do not fit their questions. */
  join(said: readonly Said[], pieces: readonly Asked[]): Said | undefined;
  /** What one answer took. `call`: all that was asked, and an estimate of its prompt for those that do not tell. */
  consumed(said: Said, piece: Asked, call: { readonly asked: Asked; readonly promptTokens: number }): Consumed;
}

/** One request of a call, and the reader of its answer. */
export interface CallPart {
  readonly request: WireRequest;
  /** Set where the answer is sound that comes in pieces. */
  readonly live?: LiveSound | undefined;
  /** Undefined: understood, and kept for `answer`. */
  read(reply: CallReply): FollowUp | UnusableAnswer | undefined;
}

/** One call between two formats: one request, or several where the upstream takes only so much at once. */
export interface CallTranslation {
  readonly parts: readonly [CallPart, ...CallPart[]];
  /** The client's answer, once all parts are understood. */
  answer(): CallAnswer | UnusableAnswer;
  /** What the parts of a divided call took that are understood by now; undefined where none is. */
  consumed(): (Consumed & { readonly parts: number }) | undefined;
}

/** What a call is translated for. */
export interface CallTarget {
  /** The name that the upstream knows. */
  readonly model: string;
  readonly scope: Scope;
  /** Inputs, or images, that one request may ask for; undefined: any number. */
  readonly atOnce?: number | undefined;
}

/** A pair of halves: `body` is the client's. */
export interface CallTranslator {
  readonly client: FormatId;
  readonly upstream: FormatId;
  readonly inlines: readonly MediaKind[];
  /** Files that are handed in before the request; undefined: none are. */
  readonly uploads: FileUploads | undefined;
  /** As of the upstream's half, for a request to the model that it names so. Undefined: masks are never painted. */
  readonly maskShade: ((body: JsonObject, model: string) => MaskShade | undefined) | undefined;
  open(body: JsonObject, target: CallTarget): CallTranslation;
}

/** Every pair of the given halves; without a division, a question is never divided. */
export function callTranslators<Asked extends { readonly model: string }, Said extends object>(
  clients: readonly ClientCallFormat<Asked, Said>[],
  upstreams: readonly UpstreamCallFormat<Asked, Said>[],
  division?: Division<Asked, Said>,
): CallTranslator[] {
  return clients.flatMap((client) =>
    upstreams.map((upstream) => ({
      client: client.id,
      upstream: upstream.id,
      inlines: upstream.inlines ?? [],
      uploads: 'open' in upstream ? undefined : upstream.uploads,
      maskShade: maskShadeOf(client, upstream),
      open(body: JsonObject, { model, scope, atOnce }: CallTarget): CallTranslation {
        const asked = { ...client.decodeRequest(body), model };
        const pieces = atOnce === undefined ? [asked] : (division?.split(asked, atOnce) ?? [asked]);
        const said: Said[] = [];
        const partOf = (piece: Asked, place: number): CallPart => {
          const steps = 'open' in upstream ? upstream.open(piece, scope) : oneStep(upstream, piece, scope);
          return {
            request: steps.request,
            live: steps.live,
            read(reply) {
              const found = steps.read(reply);
              if (isVerdict(found)) return found;
              said[place] = found;
              return undefined;
            },
          };
        };
        const [first = asked, ...further] = pieces;
        return {
          parts: [partOf(first, 0), ...further.map((piece, index) => partOf(piece, index + 1))],
          answer() {
            const whole = division === undefined ? said[0] : division.join(said, pieces);
            return whole === undefined ? { kind: 'unreadable' } : client.encodeAnswer(whole, asked, scope);
          },
          consumed() {
            const call = { asked, promptTokens: scope.promptTokens ?? 0 };
            return together(
              // Parts that are not understood yet are holes.
              said.flatMap((one, place) => division?.consumed(one, pieces[place] ?? asked, call) ?? []),
            );
          },
        };
      },
    })),
  );
}

function together(each: readonly Consumed[]): (Consumed & { readonly parts: number }) | undefined {
  const [first, ...rest] = each;
  if (first === undefined) return undefined;
  const whole = rest.reduce(bothConsumed, first);
  return { ...whole, parts: each.length };
}

/** Pieces of one call are alike but for their number. */
function bothConsumed(one: Consumed, other: Consumed): Consumed {
  const usage = addUsage(one.usage, other.usage);
  if (one.image === undefined) return { ...other, usage };
  return { usage, image: { ...one.image, count: one.image.count + (other.image?.count ?? 0) } };
}

function maskShadeOf<Asked extends { readonly model: string }, Said>(
  client: ClientCallFormat<Asked, Said>,
  upstream: UpstreamCallFormat<Asked, Said>,
): CallTranslator['maskShade'] {
  if ('open' in upstream || upstream.maskShade === undefined) return undefined;
  return (body, model) => upstream.maskShade?.({ ...client.decodeRequest(body), model });
}

function oneStep<Asked, Said>(upstream: OneQuestionFormat<Asked, Said>, asked: Asked, scope: Scope): CallSteps<Said> {
  return {
    request: upstream.encodeRequest(asked, scope),
    read: (reply) => upstream.decodeReply?.(reply, asked) ?? readJson(upstream, reply, { asked, scope }),
  };
}

function readJson<Asked, Said>(
  upstream: OneQuestionFormat<Asked, Said>,
  { body }: CallReply,
  { asked, scope }: { asked: Asked; scope: Scope },
): Said | FollowUp | UnusableAnswer {
  const members = asObject(parseJson(body.toString('utf8')));
  return members === undefined ? { kind: 'unreadable' } : upstream.decodeAnswer(members, asked, scope);
}

/** True for what is no answer: canonical answers have no member `kind`. */
function isVerdict<Said extends object>(said: Said | FollowUp | UnusableAnswer): said is FollowUp | UnusableAnswer {
  return 'kind' in said;
}

/** A JSON answer. */
export function jsonAnswer(json: Json, facts: Omit<CallAnswer, 'body' | 'contentType'>): CallAnswer {
  return { ...facts, body: Buffer.from(JSON.stringify(json)), contentType: 'application/json' };
}
