/** `api`: any call of the management API, for what has no command yet and for scripts. */
import type { Command } from 'commander';
import { leaf, type Runtime } from '../command.ts';
import { usageError } from '../errors.ts';
import { collect } from '../flags.ts';
import { both, sayIn } from '../language.ts';
import type { View } from '../output/columns.ts';
import { askedRaw, envelopeOf, failureOf } from '../raw-call.ts';
import { describeFailure } from '../report.ts';
import { pagesOf, rowsOf } from './api-pages.ts';

const anyView: View<unknown> = {
  columns: [{ heading: 'VALUE', value: (row) => (typeof row === 'object' ? JSON.stringify(row) : String(row)) }],
  id: String,
  verbatim: true,
};

/** `k=v` with numbers, booleans and null read as such; digits that a number would lose stay a text, as those of a code. */
function typed(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(both(`${text} is not name=value`, `${text} 不是 name=value`), { field: '--field' });
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (/^(true|false|null|-?(0|[1-9]\d*)\.\d+)$/.test(value)) return [name, JSON.parse(value)];
  return [name, /^-?\d+$/.test(value) && String(Number(value)) === value ? Number(value) : value];
}

function plain(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(both(`${text} is not name=value`, `${text} 不是 name=value`), { field: '--text' });
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Status and headers as they came; what a session is known by is left out. */
function headOf({ status, statusText, headers }: Response): string {
  const lines = [...headers].map(([name, value]) =>
    name === 'set-cookie' ? `${name}: ${value.replace(/=[^;]*/, '=***')}` : `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} ${statusText}`.trimEnd(), ...lines, '', ''].join('\n');
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Those that the server answers. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function registerApiCommand(program: Command, runtime: Runtime): void {
  const say = sayIn(runtime.language);
  leaf(
    program
      .command('api')
      .argument('[method]')
      .argument('[path]')
      .option(
        '-f, --field <name=value>',
        say(both('member of the body or query; numbers and booleans are typed', '请求成员，自动识别数字与布尔值')),
        collect,
      )
      .option('-F, --text <name=value>', say(both('the same, always text', '同上，始终为文本')), collect)
      .option('--input <file>', say(both('whole body: @file, - or JSON', '完整请求体：@文件、- 或 JSON')))
      .option('-i, --include', say(both('status and headers of the answer before it', '先输出响应的状态与标头')))
      .option('--paginate', say(both('all pages of a list, as one list', '获取列表的所有页，合为一个列表')))
      .option('--spec', say(both('print the OpenAPI document instead', '输出 OpenAPI 文档'))),
    runtime,
    {
      summary: both('Make any call and print its data', '发起任意调用并输出 data'),
      examples: [
        "api GET /api/user/models --jq '.[]'",
        'api PUT /api/option/ -F key=RetryTimes -F value=2',
        'api GET /api/user/self --raw',
        'api GET /api/user/self -i',
        'api GET /api/token/ --paginate -o ndjson',
        'api --spec --out openapi.json',
      ],
      prints: () => anyView,
      calls: ['reference.openapi'],
      callsAny: true,
    },
    async (context, [methodArg, pathArg], flags) => {
      if (flags.spec === true) {
        const document = await (await context.client()).reference.openapi();
        return context.printer.text(`${JSON.stringify(document, null, 2)}\n`);
      }
      const method = String(methodArg).toUpperCase();
      const path = String(pathArg);
      if (path === '') throw usageError(both('name a method and a path', '请指定方法与路径'), { field: 'path' });
      if (!methods.includes(method)) {
        const known = methods.join(', ');
        throw usageError(both(`unknown method ${method}; there are ${known}`, `未知方法 ${method}；可用：${known}`), {
          field: 'method',
        });
      }
      // Beside it there are pages, and calls of models that are charged.
      if (!/^\/api(?:[/?]|$)/.test(path)) {
        throw usageError(both('the path starts with /api/', '路径须以 /api/ 开头'), { field: 'path' });
      }
      const { answerFields, pagedFields } = await import('../answer-fields.ts');
      const pages = flags.paginate === true ? await pagesOf(method, path, flags) : undefined;
      const fields = pages === undefined ? answerFields(method, path) : pagedFields(pages.endpoint);
      await context.printer.check({ columns: anyView.columns, fields });
      const target = await context.target();
      if (target.token !== undefined) await context.refusePlain(target.url);
      const members = Object.fromEntries([...strings(flags.field).map(typed), ...strings(flags.text).map(plain)]);
      const input = typeof flags.input === 'string' ? await context.value(flags.input, '--input') : undefined;
      const inQuery = method === 'GET' || method === 'DELETE';
      const url = new URL(target.url + path);
      if (inQuery) for (const [name, value] of Object.entries(members)) url.searchParams.set(name, String(value));
      const body = input ?? (inQuery || Object.keys(members).length === 0 ? undefined : JSON.stringify(members));
      if (method !== 'GET' && method !== 'HEAD') {
        await context.beforeWrite({ method, path: `${url.pathname}${url.search}`, body });
      }
      const printer = context.printerOf(flags.output === undefined ? { ...flags, output: 'json' } : flags);
      if (pages !== undefined) return printer.list(rowsOf(context, url, pages), anyView);
      const { response, text } = await askedRaw(context, { method, url, body });
      if (flags.include === true) await context.printer.text(headOf(response));
      if (flags.raw === true) {
        await context.printer.text(text.endsWith('\n') ? text : `${text}\n`);
        // The answer tells what is wrong; the exit code says it as for every other command.
        if (!response.ok || envelopeOf(text)?.success === false) {
          const { language } = context;
          const failure = await describeFailure(await failureOf({ response, text }), { language, url: target.url });
          context.endWith(failure.exitCode);
        }
        return;
      }
      const answer = envelopeOf(text);
      if (answer === undefined && response.ok) return context.printer.text(text);
      if (answer === undefined || answer.success === false || !response.ok) throw await failureOf({ response, text });
      const data = 'data' in answer ? answer.data : answer;
      if (Array.isArray(data)) await printer.list(data, anyView);
      else await printer.one(data, anyView);
    },
  );
}
