import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { channelSettings, settingProblem } from '../../../daemon/contract/channel-settings.ts';
import { findChannelType } from '../../../daemon/contract/channel-types.ts';
import { formatError } from '../../../daemon/contract/error-codes.ts';
import { pagePath, renderSettingsPage } from '../../contract/channel-settings-page.ts';
import { readSources } from '../../support/source-files.ts';

const test = suite('settings of channels');

/** Members that are read one by one: `setting.proxy`, `{ proxy } = setting`, and the pairs that let fields through. */
const reads: readonly RegExp[] = [
  /\b(?:call|channel|record|template\.call)?\.?setting\)?\??\.([a-z][a-z_]+)\b/g,
  /\{ ([a-z_]+)[^}]* \} = (?:channel\.)?setting\b/g,
  /'(allow_[a-z_]+)'/g,
];

test('every member that the relay reads stands in the table', () => {
  const known = new Set(channelSettings.map(({ key }) => key));
  const read = new Set<string>();
  for (const { path, text } of readSources()) {
    if (!/^daemon\/(?:gateway|relay|snapshots)\//.test(path)) continue;
    for (const pattern of reads) for (const found of text.matchAll(pattern)) read.add(found[1] ?? '');
  }
  read.delete('includes');
  for (const key of ['proxy', 'system_prompt', 'allow_store', 'ollama_native', 'disabled_models']) {
    assert.ok(read.has(key), `finds ${key}`);
  }
  assert.equal(
    [...read].filter((key) => !known.has(key)),
    [],
  );
});

test('every member has its texts in both languages, and types that exist', () => {
  for (const { key, label, help, types = [], form, choices } of channelSettings) {
    for (const { en, zh } of [label, help]) {
      assert.ok(en !== '' && zh !== '', key);
      assert.not.match(en, /[\u4e00-\u9fff]/, key);
    }
    assert.match(help.zh, /[\u4e00-\u9fff]/, key);
    for (const type of types) assert.ok(findChannelType(type), key);
    assert.is(form === 'choice', choices !== undefined, key);
  }
  assert.is(new Set(channelSettings.map(({ key }) => key)).size, channelSettings.length);
});

test('values of another form are refused by name, unknown members and null are not', () => {
  const wrong: readonly (readonly [key: string, value: unknown])[] = [
    ['ollama_native', 'true'],
    ['dashscope_native', 1],
    ['azure_strip_dots', 'yes'],
    ['bedrock_profile', 'us east'],
    ['bedrock_profile', true],
    ['vertex_project', 7],
    ['bedrock_arns', 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1'],
    ['bedrock_arns', ['arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1']],
    ['bedrock_arns', { 'claude-sonnet-5': 'eu.anthropic.claude-sonnet-5' }],
    ['bedrock_arns', { 'claude-sonnet-5': 'arn:aws:iam::123456789012:user/somebody' }],
    ['bedrock_arns', { 'claude-sonnet-5': null }],
    ['timeout_idle', '5'],
    ['timeout_idle', -1],
    ['timeout_idle', 1e12],
    ['proxy', 'socks4://h:1'],
    ['proxy', 7],
    ['multi_key_mode', 'first'],
    ['pass_headers', 'x-a'],
    ['header_override', ['x-a']],
    ['system_prompt', 5],
  ];
  for (const [key, value] of wrong) {
    const problem = settingProblem({ force_format: true, [key]: value });
    assert.is(problem?.key, key, `${key} ${value}`);
    const chinese = formatError('channel_setting_invalid', { ...problem }, 'zh');
    assert.match(chinese.slice(chinese.indexOf('：')), /[\u4e00-\u9fff]/, chinese);
  }
  const right = {
    ollama_native: true,
    dashscope_native: false,
    azure_strip_dots: null,
    bedrock_profile: 'us-gov',
    vertex_project: 'some-project-1',
    bedrock_arns: {
      'claude-sonnet-5': 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
      'nova-pro': 'arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:provisioned-model/a1b2c3d4e5f6',
      'nova-lite': 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0',
      'rerank-v3.5': 'arn:aws:bedrock:us-east-1::foundation-model/cohere.rerank-v3-5:0',
    },
    timeout_idle: 0.5,
    proxy: 'socks5://user:pass@host:1080',
    stream_support: '',
    pass_headers: ['x-a'],
    header_override: { 'x-a': 'b' },
    somebody_elses: ['anything'],
  };
  assert.is(settingProblem(right), undefined);
});

test('docs/channel-settings.md tells what the table says', () => {
  assert.fixture(renderSettingsPage(), readFileSync(pagePath, 'utf8'));
});

test.run();
