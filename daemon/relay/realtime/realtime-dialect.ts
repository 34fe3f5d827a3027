/**
 * How the events of a realtime session are told on where a vendor's are not quite OpenAI's. OpenAI's own have two
 * manners: the official one, and the flat one of its beta, which older clients and most imitations speak.
 */
import type { JsonObject } from '../json.ts';

/** What a session is opened with. */
export interface RealtimeOpening {
  /** Name sent upstream. */
  readonly model: string;
  /** How the client speaks, where its upgrade says so; undefined: its first `session.update` will tell. */
  readonly manner: 'beta' | undefined;
  /** Told of each member of the client's events that is left out for want of words. */
  readonly lose: (member: string) => void;
}

/** One session; made anew for each. */
export interface RealtimeDialect {
  /** What the upstream is told before the client has said anything. */
  readonly opening: readonly JsonObject[];
  /** True while `fromClient` takes pictures as JPEG files only: others are to be made such before. */
  readonly seesJpegOnly: boolean;
  /** An event of the client's. Throws `convert_request_failed` for what the vendor has no words for. */
  fromClient(event: JsonObject): ToldOn;
  /** An event of the upstream's as the client knows it: one, several or none. */
  fromServer(event: JsonObject): readonly JsonObject[];
}

/** What an event becomes. */
export interface ToldOn {
  readonly upstream: readonly JsonObject[];
  /** What the client is told at once, because the upstream never will. */
  readonly client: readonly JsonObject[];
}

/** Told on to the upstream alone. */
export function toUpstream(...events: readonly JsonObject[]): ToldOn {
  return { upstream: events, client: [] };
}

const HEADER = /\brealtime=v1\b/;
const SUBPROTOCOL = /\bopenai-beta\.realtime-v1\b/;

/** How a client speaks, by the headers of its upgrade: what asks for the beta says so. */
export function mannerOf(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): RealtimeOpening['manner'] {
  const isBeta =
    HEADER.test(String(headers['openai-beta'] ?? '')) ||
    SUBPROTOCOL.test(String(headers['sec-websocket-protocol'] ?? ''));
  return isBeta ? 'beta' : undefined;
}
