/**
 * The contract: the public agreement between daemon, console and command line. It knows wire shapes and nothing else;
 * it imports only `zod/mini`. An endpoint is declared once here; router, client, OpenAPI file and tests are derived.
 */
import type * as z from 'zod/mini';
import type { ErrorCode, Language, NoticeCode } from './error-codes.ts';
import type { FileFormat } from './file-types.ts';
import type { ProofAction } from './proof-actions.ts';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call (management-api.md, legend): `optional` takes an identity when there is one; `key` needs a usable relay
 * key, `key-read` one that is only not disabled.
 */
export type Access = 'public' | 'optional' | 'user' | 'admin' | 'root' | 'key' | 'key-read';

/**
 * Rate class of management-api.md 1.6. `standard` is the global API limit alone, every other class comes on top of it;
 * `unlimited` is exempt from all.
 */
export type RateClass =
  | 'standard'
  | 'critical'
  | 'critical-mail'
  | 'critical-oauth'
  | 'critical-money'
  | 'critical-redeem'
  | 'search'
  | 'download'
  | 'payment-callback'
  | 'unlimited';

/**
 * How an answer is laid out (management-api.md 1.1, 1.5); `envelope.ts` packs and unpacks each.
 * - `data`: the output is `data`.
 * - `page`: `data` is `{items, total, page, page_size}`; the declared output is one item.
 * - `list`: `data` is a bare array, totals and siblings stand beside it; the declared output is one item.
 * - `beside`: the output's own members (`data`, `message`, `time`, ...) stand beside `success`.
 * - `bare`: the output is the whole body, without envelope.
 * - `text`: the output is a `text/plain` body.
 * - `file`: the handler returns a {@link FileAnswer}; the client gets the response untouched.
 * - `events`: a stream of server-sent events, each of them the declared output, until either side ends it.
 */
export type Shape = 'data' | 'page' | 'list' | 'beside' | 'bare' | 'text' | 'file' | 'events';

/** Page parameters of a list. Callers always count pages from 1; `first` is what the wire calls the first page. */
export interface Paging {
  readonly first: 0 | 1;
  /** Name of the size parameter on the wire; `page_size` is accepted as well. */
  readonly size: 'page_size' | 'size';
  /** Rows of a page when nothing is asked for. */
  readonly defaultSize: number;
  readonly maxSize: number;
}

export type AnySchema = z.ZodMiniType;
export type ObjectSchema = z.ZodMiniObject<z.core.$ZodShape, z.core.$ZodObjectConfig>;

export interface EndpointAlias {
  readonly method?: Method;
  readonly path?: string;
}

/** One call of the management API. Absent members mean the plain case. */
export interface Endpoint {
  readonly method: Method;
  /** As published, trailing slash included; `:id` matches `[1-9][0-9]{0,15}`, any other `:name` one path segment. */
  readonly path: string;
  /** Further methods or paths with the same meaning. */
  readonly aliases?: readonly EndpointAlias[];
  readonly access: Access;
  readonly shape: Shape;
  /** One sentence for the reference page, in each language. */
  readonly description: Readonly<Record<Language, string>>;
  /** `standard` when absent. */
  readonly rate?: RateClass;
  /** Path, query and body as one flat object. */
  readonly input?: ObjectSchema;
  /** Input members that a POST or PUT takes from the query; GET and DELETE take all from there. */
  readonly query?: readonly string[];
  /** What `data` holds, or one item of it; absent means null. */
  readonly output?: AnySchema;
  /** Member of a `beside` output that marks `success: false` as an answer of its own, not a refusal: a failed test. */
  readonly verdict?: string;
  /** Members beside `data` of a `list`. */
  readonly siblings?: ObjectSchema;
  readonly paging?: Paging;
  /** `required` where the human check (Turnstile) stands before the call. */
  readonly humanCheck?: 'required';
  /** What a machine token must be allowed to do here; `any` of them may where it says so, none where it is absent. */
  readonly scope?: Scope | 'any';
  /** `session-only` where a system access token is refused. */
  readonly credential?: 'session-only';
  /** What a session needs a fresh proof for, where it does (console.md N6). */
  readonly freshProof?: ProofAction;
  /** `changes` on a GET that changes something: HEAD is then refused. `none` on a POST that only asks. */
  readonly effect?: 'changes' | 'none';
  /** The code that answers a browser's cross-site call, where such calls are refused (management-api.md 3.5.1). */
  readonly crossSite?: 'cross_site' | 'oauth_state';
  /** On a `key-read` endpoint: a signed-in user may name an own key in the query `key` instead of presenting it. */
  readonly ownKey?: 'query';
  /** `key` where an `Idempotency-Key` header makes repeating the call safe. */
  readonly idempotency?: 'key';
  /** Bytes of the largest body; 512 KiB on public endpoints and 1 MiB elsewhere when absent. */
  readonly bodyLimitBytes?: number;
  /** `form` where a body is a form instead of JSON. */
  readonly bodyForm?: 'form';
  /**
   * Where failures do not come in the envelope: `openai` in the shape and with the status of the relay, `payment` as
   * `{message: "error", data: reason}`, `callback` as the text `fail`, for clients that know no other.
   */
  readonly failures?: 'openai' | 'payment' | 'callback';
  /** What a `file` is whose input has no `format` to choose it by. */
  readonly fileFormat?: FileFormat;
  /** `anyone` where pages of every origin may read the answer, which no cookie can be asked for (CORS). */
  readonly crossOrigin?: 'anyone';
  /** Status of this endpoint's refusals where it is not 200. */
  readonly refusalStatus?: 400;
  /** Text shown on success. */
  readonly notice?: NoticeCode;
  /** Refusals particular to this endpoint; the generic ones go without saying. */
  readonly errors?: readonly ErrorCode[];
  readonly example?: { readonly input?: unknown; readonly output?: unknown };
}

/** A file for download; the stream or text is sent as it is. */
export interface FileAnswer {
  readonly contentType: string;
  readonly fileName: string;
  readonly body: string | AsyncIterable<string | Uint8Array>;
  /** Shown by a browser, under this Content-Security-Policy, instead of being saved. */
  readonly shownUnder?: string;
}

/** What the handler of an `events` endpoint returns: events of its output until they end or nobody reads on. */
export interface EventsAnswer<Event> {
  readonly events: AsyncIterable<Event>;
}

/** Rows of one page; `page` counts from 1. */
export interface Page<Item> {
  items: Item[];
  total: number;
  page: number;
  page_size: number;
}

/** Declares an endpoint and keeps its literal type. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

/** Page parameters of the lists whose first page is 1. */
export const pagedFromOne = { first: 1, size: 'page_size', defaultSize: 10, maxSize: 100 } as const satisfies Paging;
/** Page parameters of the lists whose first page is 0. */
export const pagedFromZero = { first: 0, size: 'page_size', defaultSize: 10, maxSize: 100 } as const satisfies Paging;

type Empty = Record<never, never>;

/** What a caller sends, without page parameters. */
export type InputOf<E extends Endpoint> = E['input'] extends AnySchema ? z.input<E['input']> : Empty;
/** What a handler receives: the input after checks and defaults. */
export type ParsedInputOf<E extends Endpoint> = E['input'] extends AnySchema ? z.output<E['input']> : Empty;
/** The declared output. */
export type OutputOf<E extends Endpoint> = E['output'] extends AnySchema ? z.output<E['output']> : null;
/** Members beside the rows of a `list`. */
export type SiblingsOf<E extends Endpoint> = E['siblings'] extends AnySchema ? z.output<E['siblings']> : Empty;

/** What a caller of the typed client gets back. */
export type ResultOf<E extends Endpoint> = E['shape'] extends 'page'
  ? Page<OutputOf<E>> & SiblingsOf<E>
  : E['shape'] extends 'list'
    ? (E['paging'] extends Paging ? Page<OutputOf<E>> : { items: OutputOf<E>[] }) & SiblingsOf<E>
    : E['shape'] extends 'text'
      ? string
      : E['shape'] extends 'file'
        ? Response
        : E['shape'] extends 'events'
          ? AsyncIterable<OutputOf<E>>
          : OutputOf<E>;

/** What a handler returns for `implement` to pack. */
export type AnswerOf<E extends Endpoint> = E['shape'] extends 'page' | 'list'
  ? { items: OutputOf<E>[] } & (E['paging'] extends Paging ? { total: number } : Empty) & SiblingsOf<E>
  : E['shape'] extends 'text'
    ? string
    : E['shape'] extends 'file'
      ? FileAnswer
      : E['shape'] extends 'events'
        ? EventsAnswer<OutputOf<E>>
        : E['output'] extends AnySchema
          ? OutputOf<E>
          : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without output may simply end.
            null | void;

/** Bytes of the largest body this endpoint reads. */
export function bodyLimitOf(endpoint: Endpoint): number {
  return endpoint.bodyLimitBytes ?? (endpoint.access === 'public' ? 512 * 1024 : 1024 * 1024);
}

/** Values in most bodies: twice the longest list of ids. */
const usualValues = 20_000;

/**
 * Values of the largest body this endpoint reads: three bytes make an object, and each is walked several times. Where a
 * body may be larger than most it is for long tables, which take more than 16 bytes a value.
 */
export function bodyValuesOf(endpoint: Endpoint): number {
  return endpoint.bodyLimitBytes === undefined ? usualValues : endpoint.bodyLimitBytes / 16;
}

/** Every method and path under which the endpoint answers, the published one first. */
export function addressesOf(endpoint: Endpoint): { method: Method; path: string }[] {
  const own = { method: endpoint.method, path: endpoint.path };
  return [own, ...(endpoint.aliases ?? []).map((alias) => ({ ...own, ...alias }))];
}

/** Names of the `:name` members of a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
}

/** True for a call that may leave something different from what it was. */
export function changesSomething({ method, effect }: Pick<Endpoint, 'method' | 'effect'>): boolean {
  return method === 'GET' ? effect === 'changes' : effect !== 'none';
}

/** True when the input member of this name travels in the query for a call with this method. */
export function isQueryMember(endpoint: Endpoint, method: Method, name: string): boolean {
  return method === 'GET' || method === 'DELETE' || (endpoint.query ?? []).includes(name);
}
