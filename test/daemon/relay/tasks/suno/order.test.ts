import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSongOrder, wordsOf } from '../../../../../daemon/relay/tasks/suno/order.ts';

const test = suite('relay/tasks/suno: orders');

test('are read whatever the case of their action, and sent with what upstreams must have', () => {
  const body = { prompt: '[Verse] hi', title: 'Hi', own: { kept: 1 } };
  for (const action of ['music', 'MUSIC', 'Music']) {
    assert.equal(readSongOrder(action, body), {
      action: 'MUSIC',
      body: { ...body, mv: 'chirp-v3-0', make_instrumental: false },
      parentId: undefined,
    });
  }
  const own = { gpt_description_prompt: 'a cat', mv: 'chirp-v5', make_instrumental: true };
  assert.equal(readSongOrder('music', own), { action: 'MUSIC', body: own, parentId: undefined });
  assert.equal(readSongOrder('lyrics', { prompt: 'cats' }), {
    action: 'LYRICS',
    body: { prompt: 'cats' },
    parentId: undefined,
  });
});

test('name the task that they go on with', () => {
  const wish = readSongOrder('music', { continue_clip_id: 'clip', continue_at: 12.5, task_id: ' t1 ' });
  assert.is('parentId' in wish && wish.parentId, 't1');
  const cover = readSongOrder('music', { prompt: 'hi', task: 'cover', task_id: 't2' });
  assert.is('parentId' in cover && cover.parentId, 't2');
});

test('are refused where nothing could come of them', () => {
  for (const [action, body, refusal] of [
    ['concat', { prompt: 'hi' }, 'invalid_action'],
    ['constructor', { prompt: 'hi' }, 'invalid_action'],
    ['lyrics', { gpt_description_prompt: 'hi' }, 'prompt_empty'],
    ['lyrics', { prompt: '  ' }, 'prompt_empty'],
    ['music', {}, 'one of prompt, gpt_description_prompt and continue_clip_id is required'],
    [
      'music',
      { prompt: '', make_instrumental: true },
      'one of prompt, gpt_description_prompt and continue_clip_id is required',
    ],
    ['music', { continue_clip_id: 'clip' }, 'task_id is required with continue_clip_id'],
    ['music', { prompt: 'hi', continue_clip_id: 3 }, 'task_id and continue_clip_id must be strings'],
    ['music', { prompt: 'hi', task_id: 7 }, 'task_id and continue_clip_id must be strings'],
    ['music', { Prompt: 'hi' }, 'one of prompt, gpt_description_prompt and continue_clip_id is required'],
  ] as const) {
    assert.equal(readSongOrder(action, body), { refusal }, `${action} ${JSON.stringify(body)}`);
  }
  // A tune has no words.
  assert.is('body' in readSongOrder('music', { prompt: '', make_instrumental: true, tags: 'jazz' }), true);
});

test('are sent without members that an upstream might take for those that were checked', () => {
  const wish = readSongOrder('music', { prompt: 'hi', Prompt: 'ho', Continue_Clip_Id: 'theirs', TAGS: 'x', Own: 1 });
  assert.equal('body' in wish && wish.body, { prompt: 'hi', Own: 1, mv: 'chirp-v3-0', make_instrumental: false });
  const kelvin = readSongOrder('music', { prompt: 'hi', 'ta\u017fk_id': 'theirs', 'tas\u212a_id': 'theirs' });
  assert.equal('body' in kelvin && Object.keys(kelvin.body), ['prompt', 'mv', 'make_instrumental']);
});

test('are listed by what they describe', () => {
  const listed = (body: Record<string, string>) => {
    const wish = readSongOrder('music', body);
    return 'body' in wish ? wordsOf(wish) : undefined;
  };
  assert.is(listed({ gpt_description_prompt: ' a cat ', prompt: 'b' }), 'a cat');
  assert.is(listed({ gpt_description_prompt: '', prompt: 'b' }), 'b');
  assert.is(listed({ continue_clip_id: 'c', task_id: 't' }), '');
});

test.run();
