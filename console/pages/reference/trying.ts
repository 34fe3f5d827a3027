/** What may be tried from the page: reads with the own session, whose answers are JSON. Pure. */
import type { Operation } from '../../../daemon/contract/openapi-reader.ts';

export function mayTry(call: Operation, isSignedIn: boolean): boolean {
  if (call.method !== 'GET' || call.changes || call.answerType !== 'application/json') return false;
  if (call.access.startsWith('key')) return false;
  return call.access === 'public' || call.access === 'optional' || isSignedIn;
}

/** The address with what was entered; undefined while a part of it is missing. */
export function triedAddress(call: Operation, values: Readonly<Record<string, string>>): string | undefined {
  const entered = (name: string): string => (values[name] ?? '').trim();
  const sent = call.parameters.filter(({ place }) => place === 'path' || place === 'query');
  if (sent.some(({ name, required }) => required && entered(name) === '')) return undefined;
  const path = sent
    .filter(({ place }) => place === 'path')
    .reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(entered(name))), call.path);
  const query = new URLSearchParams(
    sent
      .filter(({ place, name }) => place === 'query' && entered(name) !== '')
      .map(({ name }) => [name, entered(name)]),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}
