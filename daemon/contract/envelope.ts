/** The answer shapes of management-api.md 1.1 and 1.5, packed by the daemon and unpacked by the client, in one place. */
import type { Endpoint, Page, Paging } from './endpoint.ts';
import { formatError, isErrorCode, type Language } from './error-codes.ts';

type Members = Readonly<Record<string, unknown>>;

/** Rows wanted, as the stores need them. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** Rows to skip. */
  readonly offset: number;
  /** Same as `pageSize`. */
  readonly limit: number;
}

/** Whoever asks beyond is shown that nothing is there; further, rows to skip would be no safe integer. */
const lastPage = 1_000_000_000;

/** Reads the page parameters of a query; anything unusable means the first page, or the default size. */
export function readPage(paging: Paging, query: Members): PageRequest {
  const asked = integerOf(query.p);
  const page = asked === undefined ? 1 : Math.min(Math.max(1, asked - paging.first + 1), lastPage);
  const size = integerOf(query[paging.size]) ?? integerOf(query.page_size) ?? 0;
  const pageSize = size > 0 ? Math.min(size, paging.maxSize) : paging.defaultSize;
  return { page, pageSize, offset: (page - 1) * pageSize, limit: pageSize };
}

/** The page parameters as they go on the wire. */
export function writePage(paging: Paging, wanted: { page?: number; page_size?: number }): Record<string, number> {
  return {
    p: (wanted.page ?? 1) - 1 + paging.first,
    [paging.size]: wanted.page_size ?? paging.defaultSize,
  };
}

function integerOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  if (!/^-?\d{1,30}$/.test(text)) return undefined;
  return Number(text);
}

/** The body of a success. `answer` is what the handler returned; text and file answers never come here. */
export function packSuccess(
  endpoint: Endpoint,
  answer: unknown,
  context: { message: string; page?: PageRequest },
): unknown {
  const { message } = context;
  switch (endpoint.shape) {
    case 'bare':
      return answer;
    case 'beside':
      return { success: true, message, data: null, ...membersOf(answer) };
    case 'page': {
      const { items, ...siblings } = membersOf(answer);
      return { success: true, message, data: { items, ...siblings, ...pageMembers(endpoint, context.page) } };
    }
    case 'list': {
      const { items, ...siblings } = membersOf(answer);
      return { success: true, message, data: items, ...siblings, ...pageMembers(endpoint, context.page) };
    }
    default:
      return { success: true, message, data: answer ?? null };
  }
}

function pageMembers(endpoint: Endpoint, page: PageRequest | undefined): Members {
  if (!endpoint.paging || !page) return {};
  return { page: page.page - 1 + endpoint.paging.first, page_size: page.pageSize };
}

/** What a refusal says on the wire, whatever its status. */
export interface FailureBody {
  success: false;
  message: string;
  code: string;
  /** Input member at fault. */
  field?: string;
  /** What the caller needs to go on, as for a second step of signing in. */
  data?: Members;
}

/** The body of a refusal in the caller's language. */
export function packFailure(
  failure: {
    code: string;
    params: Readonly<Record<string, string | number | boolean>>;
    field?: string | undefined;
    data?: Members | undefined;
  },
  language: Language,
): FailureBody {
  const { field, code, data } = failure;
  const params = field === undefined ? failure.params : { field, ...failure.params };
  const text = isErrorCode(code) ? formatError(code, params, language) : code;
  const message =
    code === 'invalid_params' && field !== undefined ? `${text}${language === 'zh' ? '：' : ': '}${field}` : text;
  const body: FailureBody = { success: false, message, code };
  if (field !== undefined) body.field = field;
  if (data !== undefined) body.data = data;
  return body;
}

/** A success body turned back into what the declaration promises; `undefined` when it is no such body. */
export function unpackSuccess(endpoint: Endpoint, body: unknown): { result: unknown } | undefined {
  if (endpoint.shape === 'bare') {
    return isMembers(body) && body.success === false ? undefined : { result: body };
  }
  if (!isMembers(body)) return undefined;
  const { success, message, ...beside } = body;
  if (success !== true && !(endpoint.verdict !== undefined && endpoint.verdict in body)) return undefined;
  switch (endpoint.shape) {
    case 'beside':
      return { result: { ...beside, ...(endpoint.verdict === undefined ? {} : { success }), message } };
    case 'page':
      return isMembers(body.data) ? { result: fromFirstPage(endpoint, body.data) } : undefined;
    case 'list': {
      const { data, ...siblings } = beside;
      return Array.isArray(data) ? { result: fromFirstPage(endpoint, { ...siblings, items: data }) } : undefined;
    }
    default:
      return { result: body.data };
  }
}

/** Pages count from 1 for callers, whatever the list calls its first one. */
function fromFirstPage(endpoint: Endpoint, page: Members): Members | Page<unknown> {
  const number = page.page;
  if (!endpoint.paging || typeof number !== 'number') return page;
  return { ...page, page: number - endpoint.paging.first + 1 };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}
