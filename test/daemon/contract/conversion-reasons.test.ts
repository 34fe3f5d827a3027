import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chineseConversionReason } from '../../../daemon/contract/conversion-reasons.ts';
import { formatError } from '../../../daemon/contract/error-codes.ts';
import { readSources } from '../../support/source-files.ts';

const test = suite('reasons why a request cannot be converted');

/** What makes an error of a field and a reason, both given by others. */
const maker = 'daemon/relay/formats/fields.ts';
const sources = readSources().filter(({ path }) => path.startsWith('daemon/') && path !== maker);

const throughMaker = /\binexpressible\(\s*(?:'[^']*'|`[^`]*`|[\w.[\]]+),\s*('[^']*'|`[^`]*`|\w+)(?:,\s*\w+)?,?\s*\)/g;
const byItself = /\bTollgateError\(\s*'convert_request_failed',\s*\{ (?:reason: )?('[^']*'|`[^`]*`|\w+) \}/g;
const literals = /'[^']*'|`[^`]*`/g;

/** The texts that an expression gives, or the constant that it names: a word for whatever is no text of ours. */
function textsOf(expression: string, before: string): string[] {
  const declared = before.lastIndexOf(`const ${expression} = `);
  const value = declared < 0 ? expression : (before.slice(declared).split(/ = |;/, 2)[1] ?? '');
  const texts = (value.match(literals) ?? []).flatMap((literal) => filled(literal.slice(1, -1), before));
  return /^(?:'[^']*'|`[^`]*`)$/.test(value) ? texts : ['7', ...texts];
}

/** The template with each text that may stand in it. */
function filled(template: string, before: string): string[] {
  const [, start = '', expression, end = ''] = /^(.*?)\$\{([^}]*)\}(.*)$/s.exec(template) ?? [];
  if (expression === undefined) return [template];
  const ends = filled(end, before);
  return textsOf(expression, before).flatMap((text) => ends.map((rest) => start + text + rest));
}

test('are told in Chinese, each of them', () => {
  const reasons = new Set<string>();
  const unread: string[] = [];
  for (const { path, text } of sources) {
    const thrown = text.match(/\binexpressible\(|\bTollgateError\(\s*'convert_request_failed'/g)?.length ?? 0;
    const through = [...text.matchAll(throughMaker)].map(({ 1: reason = '', index }) =>
      textsOf(reason, text.slice(0, index)).map((why) => `field: ${why}`),
    );
    const own = [...text.matchAll(byItself)].map(({ 1: reason = '', index }) => textsOf(reason, text.slice(0, index)));
    if (through.length + own.length !== thrown) unread.push(path);
    for (const reason of [...through, ...own].flat()) reasons.add(reason);
  }
  assert.equal(unread, [], 'what nobody can read here nobody can look for');
  assert.ok(reasons.size > 55, `${reasons.size} reasons were found`);
  const untold = [...reasons].filter((reason) => !/[\u4e00-\u9fff]/.test(chineseConversionReason(reason)));
  assert.equal(untold, []);
});

test('keep the field, the figures and the names', () => {
  assert.is(chineseConversionReason('image: at most 3 images can be edited'), 'image：最多可编辑 3 张图片');
  assert.is(
    chineseConversionReason('image: gs: addresses are read by their own vendor alone'),
    'image：gs: 地址只有其所属厂商能读取',
  );
  assert.is(chineseConversionReason('what nobody knows'), 'what nobody knows');
  assert.is(chineseConversionReason('field: what nobody knows'), 'field: what nobody knows');
  const params = {
    reason:
      'tools: file_search is run by its own vendor: leave the tool out, or set the conversion of your key to warn',
  };
  assert.is(
    formatError('convert_request_failed', params, 'zh'),
    '请求无法转换为所选模型的格式：tools：file_search 由其所属厂商运行：请去掉该工具，或将令牌的 conversion 设为 warn',
  );
  assert.is(
    formatError('convert_request_failed', params, 'en'),
    `The request cannot be expressed for the chosen model: ${params.reason}`,
  );
});

test.run();
