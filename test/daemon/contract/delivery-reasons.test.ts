import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../../daemon/contract/error-codes.ts';

const test = suite('reasons why a notice did not arrive');

const sources = ['domain/notice-delivery.ts', 'domain/alerts.ts', 'integrations/notice-post.ts'];

/** What the sources give as reasons, a word in place of what varies. */
function reasonsInSources(): string[] {
  return sources.flatMap((name) => {
    const source = readFileSync(new URL(`../../../daemon/${name}`, import.meta.url), 'utf8');
    const given = /(?:DeliveryFailure\(|\btext: |\breason: )(?:'([^']+)'|`((?:\$\{[^}]*\}|[^`])+)`)/g;
    return [...source.matchAll(given)].map(([, plain, filled]) =>
      (plain ?? filled ?? '').replace(/\$\{[^}]*\}/g, '500'),
    );
  });
}

test('each of them has its Chinese, in which only what a mail server says stays as it is', () => {
  const reasons = reasonsInSources();
  assert.is(reasons.length, 11);
  for (const reason of reasons) {
    const told = formatError('notice_failed', { reason }, 'zh').replace(/SMTP[A-Z]\w+|security\.egress_allow/g, '');
    assert.not.match(told, /[a-z]{2}/, reason);
    assert.match(formatError('notice_failed', { reason }, 'en'), new RegExp(`: ${reason.replace(/[()]/g, '\\$&')}$`));
  }
  const refused = 'the mail server refused: 550 no such user';
  assert.is(
    formatError('notice_failed', { reason: refused }, 'zh'),
    '测试通知发送失败：邮件服务器拒绝：550 no such user',
  );
  const silent = 'the mail server was not reached (no answer)';
  assert.is(formatError('notice_failed', { reason: silent }, 'zh'), '测试通知发送失败：无法连接邮件服务器（无响应）');
});

test.run();
