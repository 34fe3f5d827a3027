import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../../daemon/contract/error-codes.ts';
import { chineseRequestReason } from '../../../daemon/contract/request-reasons.ts';

const test = suite('reasons why a request is refused');

const root = new URL('../../../daemon/', import.meta.url);

/** What the sources of the relay give as reasons, a word in place of what varies. */
function reasonsInSources(): string[] {
  // What is added to a rule is looked at below.
  const word = (text: string) => text.replace(/\$\{fittingPath[^}]*\}/, '').replace(/\$\{[^}]*\}/g, '7');
  return ['gateway/', 'relay/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const source = readFileSync(new URL(folder + name, root), 'utf8');
        const rules = [
          ...source.matchAll(/\b(?:refuse|invalid)\((?:'[^']*'|`[^`]*`|[\w.]+),\s*(?:'([^']+)'|`([^`]+)`)/g),
        ];
        const wholes = [...source.matchAll(/'invalid_request',\s*\{\s*reason:\s*(?:'([^']+)'|`([^`]+)`)/g)];
        const own = [...source.matchAll(/\brefused\((?:'(the body [^']+)'|`(the body [^`]+)`)\)/g)];
        return [
          ...rules.map(([, plain, filled]) => `field ${word(plain ?? filled ?? '')}`),
          ...[...wholes, ...own].map(([, plain, filled]) => word(plain ?? filled ?? '')),
        ];
      }),
  );
}

test('are told in Chinese, each of them', () => {
  const reasons = new Set(reasonsInSources().filter((reason) => /[a-z]/.test(reason)));
  assert.ok(reasons.size > 45, `${reasons.size} reasons were found`);
  const untold = [...reasons].filter((reason) => !/[\u4e00-\u9fff]/.test(chineseRequestReason(reason)));
  assert.equal(untold, []);
});

test('keep the field and the figures, in either form', () => {
  assert.is(
    chineseRequestReason('max_tokens must be a whole number from 1 to 9'),
    'max_tokens 必须是 1 到 9 之间的整数',
  );
  assert.is(
    chineseRequestReason('messages[0].role: must be user or model'),
    'messages[0].role 必须是以下之一：user or model',
  );
  assert.is(chineseRequestReason('what nobody knows'), 'what nobody knows');
  const params = { reason: 'messages is required; a body with input belongs to /v1/responses' };
  assert.is(
    formatError('invalid_request', params, 'zh'),
    '请求无效：messages 为必填项；带有 input 的请求体应发往 /v1/responses',
  );
  assert.is(formatError('invalid_request', params, 'en'), `Invalid request: ${params.reason}`);
});

test.run();
