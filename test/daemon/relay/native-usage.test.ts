/** Of all usage reports of a native stream, a client that asked for usage is shown one (relay.md 5.3). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asObject } from '../../../daemon/relay/formats/fields.ts';
import { base, broke, chunk, done, eventsOf, open, put, run, stop, text } from '../../support/native-chat-streams.ts';

const test = suite('native-usage');

const asked = { hideUsage: false };
const reportOf = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});

test('shows only the last of several reports, where the protocol has it, however the bytes are split', () => {
  const alone = (completion: number, rest: object = {}) =>
    put({ ...base, choices: [], usage: reportOf(3, completion), ...rest });
  const riding = (content: string, finish: string | null, completion: number) =>
    chunk(content === '' ? {} : { content }, finish, { usage: reportOf(3, completion) });
  const zeros = chunk({ role: 'assistant' }, null, { usage: reportOf(0, 0) });
  const role = chunk({ role: 'assistant' });
  const cases: [what: string, came: string, shown: string][] = [
    ['alone, once', text('a') + stop + alone(2), text('a') + stop + alone(2)],
    ['alone, twice', text('a') + stop + alone(1) + alone(2, { cost: 7 }), text('a') + stop + alone(2, { cost: 7 })],
    ['alone, before the answer ends', text('a') + alone(2) + stop, text('a') + stop + alone(2)],
    ['with the end of a choice', text('a') + riding('', 'stop', 2), text('a') + riding('', 'stop', 2)],
    ['with the end of a choice and alone', text('a') + riding('', 'stop', 2) + alone(2), text('a') + stop + alone(2)],
    ['with an end and words', riding('a', 'stop', 2), riding('a', 'stop', 2)],
    ['with every piece', riding('a', null, 1) + riding('b', 'stop', 2), text('a') + riding('b', 'stop', 2)],
    [
      'with every piece but the last',
      riding('a', null, 1) + riding('b', null, 2) + stop,
      text('a') + text('b') + stop + alone(2),
    ],
    [
      'with every piece, and alone',
      riding('a', null, 1) + riding('b', 'stop', 2) + alone(2),
      text('a') + chunk({ content: 'b' }, 'stop') + alone(2),
    ],
    ['with a piece that says nothing', text('a') + stop + riding('', null, 2), text('a') + stop + riding('', null, 2)],
    [
      'with the ends of two choices',
      text('a') + riding('', 'stop', 1) + riding('', 'stop', 2),
      text('a') + stop + riding('', 'stop', 2),
    ],
    ['with one end of two', text('a') + riding('', 'stop', 2) + stop, text('a') + stop + stop + alone(2)],
    ['as zeros first', zeros + riding('a', 'stop', 2), role + riding('a', 'stop', 2)],
    [
      'where only some clients look',
      text('a') + chunk({}, 'stop', { x_groq: { id: 'q', usage: reportOf(3, 2) } }),
      text('a') + chunk({}, 'stop', { x_groq: { id: 'q' } }) + alone(2),
    ],
  ];
  for (const [what, came, shown] of cases) {
    for (const end of [done, '']) {
      const bytes = came + end;
      for (const size of [bytes.length, 150, 64, 7, 1]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.slice(at * size, at * size + size),
        );
        const { stream, out } = run(pieces, asked);
        assert.is(out, shown + done, `${what}, ${size} bytes at a time${end === '' ? ', without an end mark' : ''}`);
        assert.equal([stream.usage()?.prompt, stream.usage()?.completion], [3, 2]);
        assert.ok(stream.isComplete && stream.hasOutput);
      }
      const renamed = run([bytes], { ...asked, renameModel: true });
      assert.is(renamed.out, (shown + done).replaceAll('upstream-model', 'client-model'), what);
    }
  }
});

test('shows what is charged where the reports only together say it', () => {
  const first = put({ ...base, choices: [], usage: reportOf(3, 1) });
  const last = put({ ...base, choices: [], usage: reportOf(0, 8) });
  for (const pieces of [[text('a') + stop + first + last + done], [text('a'), stop, first, last, done]]) {
    const { stream, out } = run(pieces, asked);
    const shown = eventsOf(out)
      .map((event) => asObject(event.usage))
      .filter((report) => report !== undefined);
    assert.equal(
      shown.map((report) => [report.prompt_tokens, report.completion_tokens]),
      [[3, 8]],
    );
    assert.equal([stream.usage()?.prompt, stream.usage()?.completion], [3, 8]);
    assert.ok(out.endsWith(done));
  }
});

test('shows its report before the error that ends the stream', () => {
  const usage = reportOf(3, 2);
  const usageChunk = put({ ...base, choices: [], usage });
  const finished = chunk({ content: 'b' }, 'stop', { usage });
  for (const [came, shown] of [
    [text('a') + usageChunk, text('a') + usageChunk],
    [text('a') + finished, text('a') + finished],
    [chunk({ content: 'a' }, null, { usage }) + text('b'), text('a') + text('b') + usageChunk],
  ]) {
    const stream = open(asked);
    const passed = stream.push(Buffer.from(came ?? ''))?.toString() ?? '';
    const [last, ...reports] = eventsOf(Buffer.concat([Buffer.from(passed), stream.fail(broke)])).reverse();
    assert.is(asObject(last?.error)?.code, 'upstream_eof');
    const expected = eventsOf(shown ?? '');
    assert.equal(
      reports.reverse().map(({ usage: report, ...rest }) => [rest, asObject(report)?.total_tokens]),
      expected.map(({ usage: report, ...rest }) => [rest, asObject(report)?.total_tokens]),
    );
  }
});

test('hides usage that comes beside half a character', () => {
  const stream = open({ hideUsage: true });
  const piece = Buffer.from(chunk({ content: 'a?' }, null, { usage: reportOf(3, 2) }) + stop + done);
  piece[piece.indexOf('?')] = 0xe4;
  assert.is(stream.push(piece)?.toString(), text('a\ufffd') + stop + done);
  assert.is(stream.usage()?.completion, 2);
});

test.run();
