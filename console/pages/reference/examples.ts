/** A call as a program would make it: curl, JavaScript, Python, the command line. Keys come from the environment. Pure. */

import type { Field, Operation } from '../../../daemon/contract/openapi-reader.ts';
import type { RelayDialect } from './relay-calls.ts';

export const exampleLanguages = ['curl', 'js', 'python', 'cli'] as const;
export type ExampleLanguage = (typeof exampleLanguages)[number];

/** Proper names; the same in every language. */
export const exampleNames: Readonly<Record<ExampleLanguage, string>> = {
  curl: 'curl',
  js: 'JavaScript',
  python: 'Python',
  cli: 'CLI',
};

export interface ExampleCall extends Operation {
  /** Absent: of the management API. */
  readonly dialect?: RelayDialect;
  readonly files?: readonly string[];
  /** Name for an answer that is a file. */
  readonly savedAs?: string | undefined;
}

interface Prepared {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  /** Header with the variable that holds its secret; undefined for calls that need none. */
  readonly secret: { readonly header: string; readonly prefix: string; readonly variable: string } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly files: readonly string[];
  readonly answer: 'json' | 'text' | 'events' | 'file';
  readonly savedAs: string;
}

const sampleOf = ({ type, name }: Field): string => {
  if (name === 'model') return 'gemini-2.5-flash';
  return /^(integer|number)/.test(type) ? '7' : 'example';
};

function secretOf({ access, dialect }: ExampleCall): Prepared['secret'] {
  if (access === 'public') return undefined;
  if (dialect === 'anthropic') return { header: 'x-api-key', prefix: '', variable: 'TOLLGATE_API_KEY' };
  if (dialect === 'gemini') return { header: 'x-goog-api-key', prefix: '', variable: 'TOLLGATE_API_KEY' };
  const variable = access.startsWith('key') ? 'TOLLGATE_API_KEY' : 'TOLLGATE_ACCESS_TOKEN';
  return { header: 'Authorization', prefix: 'Bearer ', variable };
}

function answerOf({ answerType, savedAs }: ExampleCall): Prepared['answer'] {
  if (savedAs !== undefined) return 'file';
  if (answerType === 'text/event-stream') return 'events';
  return answerType === '' || answerType === 'application/json' ? 'json' : 'text';
}

function prepared(call: ExampleCall, origin: string): Prepared {
  const inPath = call.parameters.filter(({ place }) => place === 'path');
  const path = inPath.reduce((text, field) => text.replace(`{${field.name}}`, sampleOf(field)), call.path);
  const query = call.parameters
    .filter(({ place, required }) => place === 'query' && required)
    .map((field) => `${field.name}=${sampleOf(field)}`)
    .join('&');
  const files = call.files ?? [];
  const isJson = call.bodyExample !== undefined && files.length === 0;
  const whole = query === '' ? path : `${path}?${query}`;
  return {
    method: call.method,
    path: whole,
    url: `${origin}${whole}`,
    secret: secretOf(call),
    headers: {
      ...(call.dialect === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
      ...(isJson ? { 'Content-Type': 'application/json' } : {}),
    },
    body: call.bodyExample,
    files,
    answer: answerOf(call),
    savedAs: call.savedAs ?? '',
  };
}

/** Undefined where the language has no such call. */
export function exampleOf(call: ExampleCall, language: ExampleLanguage, origin: string): string | undefined {
  const ready = prepared(call, origin);
  switch (language) {
    case 'curl':
      return curlOf(ready);
    case 'js':
      return jsOf(ready);
    case 'python':
      return pythonOf(ready);
    case 'cli':
      return cliOf(call, ready, origin);
  }
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function fieldsOf(body: unknown): readonly (readonly [string, string])[] {
  return typeof body === 'object' && body !== null
    ? Object.entries(body).map(([name, value]) => [name, String(value)] as const)
    : [];
}

function curlOf({ method, url, secret, headers, body, files, answer, savedAs }: Prepared): string {
  const isPlainGet = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl ${answer === 'events' ? '-N ' : ''}${isPlainGet ? '' : `-X ${method} `}"${url}"`,
    ...(answer === 'file' ? [`  --output ${savedAs}`] : []),
    ...(secret ? [`  -H "${secret.header}: ${secret.prefix}$${secret.variable}"`] : []),
    ...Object.entries(headers).map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(files.length > 0
      ? fieldsOf(body).map(
          ([name, value]) => `  -F ${shellQuoted(`${name}=${files.includes(name) ? '@' : ''}${value}`)}`,
        )
      : body === undefined
        ? []
        : [`  -d ${shellQuoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n');
}

const jsQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
/** A member's name, quoted only where it must be. */
const jsName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsQuoted(name));

function jsLiteral(value: unknown, indent: string): string {
  if (typeof value === 'string') return jsQuoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => jsLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${jsName(name)}: ${jsLiteral(one, inner)}`);
  return bracketed(Array.isArray(value) ? '[]' : '{}', parts, { indent, inner, space: ' ' });
}

interface Layout {
  readonly indent: string;
  readonly inner: string;
  /** Inside the braces of one line. */
  readonly space: string;
}

/** On one line where it fits. */
function bracketed(brackets: '[]' | '{}', parts: readonly string[], { indent, inner, space }: Layout): string {
  const [open = '', close = ''] = brackets;
  if (parts.length === 0) return brackets;
  const pad = brackets === '{}' ? space : '';
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (line.length <= 64 && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

function jsOf({ method, url, secret, headers, body, files, answer, savedAs }: Prepared): string {
  const lines: string[] = answer === 'file' ? ["import { writeFile } from 'node:fs/promises';", ''] : [];
  const isForm = files.length > 0;
  if (isForm) {
    lines.push("import { openAsBlob } from 'node:fs';", '', 'const form = new FormData();');
    for (const [name, value] of fieldsOf(body)) {
      const content = files.includes(name)
        ? `await openAsBlob(${jsQuoted(value)}), ${jsQuoted(value)}`
        : jsQuoted(value);
      lines.push(`form.set(${jsQuoted(name)}, ${content});`);
    }
  }
  const sent = [
    ...(secret
      ? [
          `    ${jsName(secret.header)}: ${
            secret.prefix === ''
              ? `process.env.${secret.variable}`
              : `\`${secret.prefix}\${process.env.${secret.variable}}\``
          },`,
        ]
      : []),
    ...Object.entries(headers).map(([name, value]) => `    ${jsName(name)}: ${jsQuoted(value)},`),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${jsQuoted(method)},`]),
    ...(sent.length > 0 ? ['  headers: {', ...sent, '  },'] : []),
    ...(isForm ? ['  body: form,'] : body === undefined ? [] : [`  body: JSON.stringify(${jsLiteral(body, '  ')}),`]),
  ];
  lines.push(
    ...(options.length === 0
      ? [`const answer = await fetch(${jsQuoted(url)});`]
      : [`const answer = await fetch(${jsQuoted(url)}, {`, ...options, '});']),
    {
      json: 'console.log(await answer.json());',
      text: 'console.log(await answer.text());',
      events: 'for await (const part of answer.body.pipeThrough(new TextDecoderStream())) console.log(part);',
      file: `await writeFile(${jsQuoted(savedAs)}, answer.body);`,
    }[answer],
  );
  return lines.join('\n');
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonLiteral(one, inner)}`);
  return bracketed(Array.isArray(value) ? '[]' : '{}', parts, { indent, inner, space: '' });
}

function pythonOf({ method, url, secret, headers, body, files, answer, savedAs }: Prepared): string {
  const sent = [
    ...(secret
      ? [
          `        "${secret.header}": ${secret.prefix === '' ? '' : `"${secret.prefix}" + `}os.environ["${secret.variable}"],`,
        ]
      : []),
    // The library says of a JSON body by itself what it is.
    ...Object.entries(headers)
      .filter(([name]) => name !== 'Content-Type')
      .map(([name, value]) => `        "${name}": "${value}",`),
  ];
  const isForm = files.length > 0;
  const fields = fieldsOf(body);
  const form = Object.fromEntries(fields.filter(([name]) => !files.includes(name)));
  return [
    ...(secret ? ['import os'] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(sent.length > 0 ? ['    headers={', ...sent, '    },'] : []),
    ...(isForm
      ? [
          `    data=${pythonLiteral(form, '    ')},`,
          `    files={${files.map((name) => `"${name}": open("${fields.find(([one]) => one === name)?.[1] ?? ''}", "rb")`).join(', ')}},`,
        ]
      : body === undefined
        ? []
        : [`    json=${pythonLiteral(body, '    ')},`]),
    ...(answer === 'events' ? ['    stream=True,'] : []),
    ')',
    {
      json: 'print(answer.json())',
      text: 'print(answer.text)',
      events: 'for line in answer.iter_lines(decode_unicode=True):\n    print(line)',
      file: `with open("${savedAs}", "wb") as file:\n    file.write(answer.content)`,
    }[answer],
  ].join('\n');
}

/** `tollgate api` makes any call of the management API; of the relay's there is one command. */
function cliOf(call: ExampleCall, { method, path, body }: Prepared, origin: string): string | undefined {
  if (call.dialect !== undefined) {
    return call.path === '/v1/chat/completions'
      ? `tollgate chat --url ${origin} --model gpt-4o-mini "Hello"`
      : undefined;
  }
  if (call.access.startsWith('key')) return undefined;
  const input = body === undefined ? '' : ` --input ${shellQuoted(JSON.stringify(body))}`;
  return `tollgate api ${method} ${shellQuoted(path)}${input} --url ${origin}`;
}
