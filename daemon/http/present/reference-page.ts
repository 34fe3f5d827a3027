/** The description of the API as a page to read: one document without script, made from the OpenAPI document. */
import { createHash } from 'node:crypto';
import type { FileAnswer } from '../../contract/endpoint.ts';
import type { Language } from '../../contract/error-codes.ts';
import { type Members, membersOf, type Operation, operationsOf, textOf } from '../../contract/openapi-reader.ts';
import { referenceStyle } from './reference-style.ts';
import { referenceTexts } from './reference-texts.ts';

/** Nothing but its own style: no script, no picture, no form, no frame. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param document as `openApiOf` makes it, with what the reader may see */
export function referencePage(document: Members, language: Language): FileAnswer {
  const texts = referenceTexts[language];
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
  const errors = membersOf(document['x-error-codes']);
  const menu = tags.map((tag) => `<li><a href="#${escaped(tag)}">${escaped(tag)}</a></li>`).join('');
  const words = { language, errors };
  const groups = tags
    .map((tag) =>
      group(
        tag,
        operations.filter((operation) => operation.tag === tag),
        words,
      ),
    )
    .join('');
  const body = [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta name="color-scheme" content="light dark"><title>${texts.title}</title>`,
    `<style>${referenceStyle}</style></head><body>`,
    `<nav aria-label="${texts.contents}"><a class="skip" href="#main">${texts.skip}</a><h2>${texts.contents}</h2>`,
    `<ul><li><a href="#calling">${texts.calling}</a></li><li><a href="#relay">${texts.relay}</a></li>${menu}`,
    `<li><a href="#errors">${texts.errors}</a></li></ul>`,
    `<p><a href="?lang=${texts.otherLanguage}">${texts.otherName}</a> · <a href="/api/openapi.json">OpenAPI</a></p></nav>`,
    `<main id="main"><h1>${texts.title}</h1>`,
    `<p class="version">${escaped(textOf(membersOf(document.info).version))}</p>`,
    `<section id="calling"><h2>${texts.calling}</h2>${texts.callingText}</section>`,
    `<section id="relay"><h2>${texts.relay}</h2>${texts.relayText}</section>`,
    groups,
    errorTable(errors, language),
    '</main></body></html>',
  ].join('\n');
  return { contentType: 'text/html; charset=utf-8', fileName: 'reference.html', body, shownUnder: policy };
}

interface Words {
  readonly language: Language;
  readonly errors: Members;
}

function group(tag: string, operations: readonly Operation[], words: Words): string {
  const parts = operations.map((operation) => operationPart(operation, words)).join('');
  return `<section id="${escaped(tag)}"><h2>${escaped(tag)}</h2>${parts}</section>`;
}

function operationPart(operation: Operation, words: Words): string {
  const texts = referenceTexts[words.language];
  const { method, path, id, summary, access, scope } = operation;
  const accessText = texts.access[access] ?? access;
  return [
    `<details id="${escaped(id)}"><summary><span class="method ${escaped(method)}">${escaped(method)}</span>`,
    `<code>${escaped(path)}</code><span class="access">${escaped(accessText)}</span></summary>`,
    `<p>${escaped(summary[words.language])}</p>`,
    scope === undefined ? '' : `<p>${texts.scope}: ${scopeText(scope, texts)}</p>`,
    table(texts.parameters, operation.parameters, texts),
    table(texts.body, operation.body, texts),
    `<h4>${texts.example}</h4><pre><code>${escaped(curlOf(operation))}</code></pre>`,
    operation.answer === undefined
      ? ''
      : `<h4>${texts.answer}</h4><pre><code>${escaped(JSON.stringify(operation.answer, null, 2))}</code></pre>`,
    refusals(operation, words),
    '</details>',
  ].join('');
}

type Texts = (typeof referenceTexts)[Language];

function scopeText(scope: string, texts: Texts): string {
  return texts.scopes[scope] ?? `<code>${escaped(scope)}</code>`;
}

function table(heading: string, fields: Operation['parameters'], texts: Texts): string {
  if (fields.length === 0) return '';
  const rows = fields.map(
    ({ name, place, type, required }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}</td><td>${escaped(type)}</td><td>${required ? texts.yes : ''}</td></tr>`,
  );
  const heads = [texts.name, texts.place, texts.type, texts.required].map((text) => `<th scope="col">${text}</th>`);
  return `<h4>${heading}</h4><table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function refusals({ errorCodes }: Operation, { language, errors }: Words): string {
  if (errorCodes.length === 0) return '';
  const rows = errorCodes.map((code) => {
    const message = textOf(membersOf(errors[code])[language]);
    return `<li><code>${escaped(code)}</code> ${escaped(message)}</li>`;
  });
  return `<h4>${referenceTexts[language].refusals}</h4><ul>${rows.join('')}</ul>`;
}

function errorTable(errors: Members, language: Language): string {
  const texts = referenceTexts[language];
  const rows = Object.entries(errors).map(([code, entry]) => {
    const { kind, en, zh } = membersOf(entry);
    const cells = [`<code>${escaped(code)}</code>`, ...[kind, en, zh].map((value) => escaped(textOf(value)))];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const heads = [texts.code, texts.kind, 'English', '中文'].map((text) => `<th scope="col">${text}</th>`).join('');
  return `<section id="errors"><h2>${texts.errors}</h2><table><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

/** The call as a shell command, with what it needs of credentials. */
function curlOf({ method, path, access, parameters, bodyExample }: Operation): string {
  const query = parameters
    .filter(({ place, required }) => place === 'query' && required)
    .map(({ name }) => `${name}=...`);
  const target = path.replace(/\{[a-z_]+\}/g, '7') + (query.length > 0 ? `?${query.join('&')}` : '');
  const key = access.startsWith('key') ? 'sk-...' : '$ACCESS_TOKEN';
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$TOLLGATE${target}"`,
    ...(access === 'public' ? [] : [`  -H "Authorization: Bearer ${key}"`]),
    ...(bodyExample === undefined
      ? []
      : ['  -H "Content-Type: application/json"', `  -d '${JSON.stringify(bodyExample).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
