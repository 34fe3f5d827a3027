import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatOption,
  inStatusRanges,
  optionKeys,
  optionTable,
  parseOption,
} from '../../../daemon/contract/options.ts';

const contract = suite('contract/options');

contract('declares every key that ends like a secret as one', () => {
  for (const key of optionKeys) {
    const looksSecret = /(?:secret|token|key|password)$/i.test(key) && key !== 'TurnstileSiteKey';
    assert.is(optionTable[key].secret, looksSecret, key);
    assert.is(optionTable[key].audience === 'secret', looksSecret, key);
  }
});

contract('binds secrets and dependencies to keys of the table', () => {
  for (const key of optionKeys) {
    const entry = optionTable[key];
    for (const other of [...(entry.needs ?? []), ...(entry.boundTo ? [entry.boundTo] : [])]) {
      assert.ok(
        optionKeys.some((known) => known === other),
        `${key} names ${other}`,
      );
    }
  }
});

contract('reads back the published text of every default', () => {
  for (const key of optionKeys) {
    const value = optionTable[key].default;
    // A default is of its own key's type by construction; the loop cannot say so.
    const text = formatOption(key, value as never);
    assert.equal(parseOption(key, text), { ok: true, value }, key);
  }
});

contract('accepts every map of the shipped price file', () => {
  const file: Record<string, unknown> = JSON.parse(
    readFileSync(new URL('../../../daemon/domain/model-prices.json', import.meta.url), 'utf8'),
    (key, value) => (key.startsWith('_') ? undefined : value),
  );
  const shipped = optionKeys.filter((key) => optionTable[key].shipped !== undefined);
  assert.is(shipped.length, 13);
  for (const key of shipped) {
    const result = parseOption(key, JSON.stringify(file[optionTable[key].shipped ?? '']));
    assert.ok(result.ok, result.ok ? '' : `${key}: ${result.reason}`);
  }
});

const refused: readonly (readonly [Parameters<typeof parseOption>[0], string])[] = [
  ['RetryTimes', '11'],
  ['RetryTimes', '1.5'],
  ['RetryTimes', ''],
  ['QuotaPerUnit', '0'],
  ['QuotaPerUnit', 'NaN'],
  ['QuotaPerUnit', '1e999'],
  ['RebatePercentage', '100.1'],
  ['CheckInEnabled', 'True'],
  ['ServerAddress', 'ftp://example.org'],
  ['ServerAddress', 'https://example.org/?a=1'],
  ['ServerAddress', 'https://user:pass@example.org'],
  ['Chats', '[{"a":"javascript:alert(1)"}]'],
  ['Chats', '[{"a":"https://chat.example/?key={key}"}]'],
  ['Chats', '[{"a":"https://x","b":"https://y"}]'],
  ['GroupRatio', '{"a,b":1}'],
  ['GroupRatio', '{"default":-1}'],
  ['ModelRatio', '{"m":1000001}'],
  ['ModelRatio', '[1]'],
  ['ModelRatio', '{"m":'],
  [
    'LongContextTiers',
    '{"m":[{"input_over":5,"model_ratio":1,"completion_ratio":1},{"input_over":5,"model_ratio":1,"completion_ratio":1}]}',
  ],
  ['ModelFallbackAlias', '{"a":"b","b":"a"}'],
  ['AutomaticDisableStatusCodes', '400-410'],
  ['AutomaticDisableStatusCodes', '99'],
  ['AutomaticRetryStatusCodes', '500-'],
  ['claude.default_max_tokens', '{"claude-3":1}'],
  ['claude.model_headers_settings', '{"claude-3":{"X-Api-Key":"k"}}'],
  ['channel_affinity', '{"rules":[{"name":"r","key_sources":[{"type":"json","key":"a"}]}]}'],
  ['EmailDomainWhitelist', 'not a domain'],
  ['SystemName', ''],
  ['SystemName', 'two\nlines'],
  ['ImageUploadPermission', '5'],
  ['DataExportDefaultTime', 'month'],
];
for (const [key, text] of refused) {
  contract(`refuses ${text === '' ? 'an empty text' : JSON.stringify(text)} for ${key} with a reason`, () => {
    const result = parseOption(key, text);
    assert.not(result.ok);
    if (!result.ok) assert.ok(result.reason.length > 0 && result.reason !== 'Invalid input', result.reason);
  });
}

contract('strips trailing slashes from the addresses that paths are put behind', () => {
  const bases = ['ServerAddress', 'WorkerUrl', 'PayAddress', 'CustomCallbackAddress', 'WeChatServerAddress'] as const;
  for (const key of bases) {
    assert.equal(parseOption(key, ' https://gate.example// '), { ok: true, value: 'https://gate.example' }, key);
  }
});

contract('says what an address may not carry, to whoever typed one that is of http(s)', () => {
  const reason = (key: 'ServerAddress' | 'Logo', text: string) => {
    const parsed = parseOption(key, text);
    return parsed.ok ? undefined : parsed.reason;
  };
  assert.is(reason('ServerAddress', 'https://gate.example/ai'), 'must be an http(s) address without path and query');
  assert.is(reason('Logo', 'logo.png'), 'must be an http(s) address or a path of this site');
});

contract('takes the form of the payment page off its address, behind which it is put', () => {
  for (const text of ['https://pay.example/epay/submit.php', ' https://pay.example/epay//submit.php/ ']) {
    assert.equal(parseOption('PayAddress', text), { ok: true, value: 'https://pay.example/epay' });
  }
});

contract('keeps every other address as it stands, since some providers know theirs with the slash alone', () => {
  const value = 'https://id.example/application/o/token/';
  const others = [
    'oidc.authorization_endpoint',
    'oidc.token_endpoint',
    'oidc.user_info_endpoint',
    'TopUpLink',
  ] as const;
  for (const key of others) assert.equal(parseOption(key, ` ${value} `), { ok: true, value }, key);
});

contract('reads lists of statuses into ranges', () => {
  const result = parseOption('AutomaticRetryStatusCodes', ' 404, 500-503 ,');
  assert.ok(result.ok);
  if (!result.ok) return;
  assert.ok(inStatusRanges(result.value, 502));
  assert.not(inStatusRanges(result.value, 504));
});

contract('treats -1 requests as unlimited', () => {
  assert.equal(parseOption('ModelRequestRateLimitCount', '-1'), { ok: true, value: 0 });
});

contract('names the entry of a list that is refused', () => {
  const reasonOf = (key: 'EmailDomainWhitelist' | 'Chats', text: string) => {
    const result = parseOption(key, text);
    return result.ok ? 'taken' : result.reason;
  };
  assert.is(reasonOf('EmailDomainWhitelist', 'a.example,B.example'), 'taken');
  assert.is(reasonOf('EmailDomainWhitelist', 'a.example,b c'), 'entry "b c": must be a domain such as example.com');
  assert.is(
    reasonOf('EmailDomainWhitelist', 'a.example, b.example ,A.example'),
    'entry "A.example": is in the list already',
  );
  assert.is(
    reasonOf('EmailDomainWhitelist', `a.example,${'x'.repeat(300)}`),
    `entry "${'x'.repeat(80)}…": must have at most 253 characters`,
  );
  assert.match(reasonOf('Chats', '[{"a":"https://a.example/#{key}"},{"b":3}]'), /^entry 2: b: must be/);
});

contract('trims lines and drops empty ones', () => {
  assert.equal(parseOption('AutomaticDisableKeywords', 'One\r\n\n Two '), { ok: true, value: ['One', 'Two'] });
});

contract.run();
