/** `api --paginate`: a list of the management API from its first page to its last, whatever its pages are called. */
import type { Endpoint, Paging } from '../../daemon/contract/endpoint.ts';
import type { CommandContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { both } from '../language.ts';
import { type PageOf, told, walk } from '../paging.ts';
import { askedRaw, envelopeOf, failureOf } from '../raw-call.ts';

export interface Pages {
  readonly endpoint: Endpoint;
  readonly paging: Paging;
}

/** How the list at a path is cut into pages. Throws exit 3 for what is none, and for flags that mean one answer. */
export async function pagesOf(
  method: string,
  path: string,
  { raw, include }: { raw?: unknown; include?: unknown },
): Promise<Pages> {
  const wish = raw === true ? '--raw' : include === true ? '--include' : undefined;
  if (wish !== undefined) {
    throw usageError(both(`${wish} shows one answer, not all pages`, `${wish} 仅用于单个响应，不能与分页同用`), {
      field: '--paginate',
    });
  }
  const { endpointAt } = await import('../answer-fields.ts');
  const endpoint = endpointAt(method, path);
  if (endpoint?.paging !== undefined) return { endpoint, paging: endpoint.paging };
  throw usageError(both(`${method} ${path} is no list in pages`, `${method} ${path} 不是分页列表`), {
    field: '--paginate',
    hint: both('leave --paginate out: the answer is whole', '去掉 --paginate：响应已是完整结果'),
  });
}

/** The rows of all pages; filters stand in the address already. */
export async function* rowsOf(context: CommandContext, url: URL, { paging }: Pages): AsyncGenerator<unknown> {
  const { writePage } = await import('../../daemon/contract/envelope.ts');
  const page = async (number: number, size: number): Promise<PageOf<unknown>> => {
    const at = new URL(url);
    for (const [name, value] of Object.entries(writePage(paging, { page: number, page_size: size }))) {
      at.searchParams.set(name, String(value));
    }
    const answer = await askedRaw(context, { method: 'GET', url: at, body: undefined });
    const body = envelopeOf(answer.text);
    if (body === undefined || body.success !== true || !answer.response.ok) throw await failureOf(answer);
    return pageIn(body);
  };
  yield* walk({ page, keyOf, limit: undefined, ...told(context) });
}

/** Rows and how many there are: in `data`, or beside a bare array (management-api.md 1.5). */
function pageIn(body: { readonly data?: unknown }): PageOf<unknown> {
  const { data } = body;
  const holder: object = Array.isArray(data) ? { ...body, items: data } : Object(data);
  const items: unknown = Reflect.get(holder, 'items');
  const total: unknown = Reflect.get(holder, 'total');
  return { items: Array.isArray(items) ? items : [], total: typeof total === 'number' ? total : 0 };
}

/** What a row is known by: the ids of some lists are not unique, but no two of their rows are alike. */
function keyOf(row: unknown): string {
  return JSON.stringify(row);
}
