import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { endpoint, type Paging, pagedFromOne, pagedFromZero } from '../../../daemon/contract/endpoint.ts';
import { packFailure, packSuccess, readPage, unpackSuccess, writePage } from '../../../daemon/contract/envelope.ts';

const envelope = suite('answer shapes');

const base = {
  method: 'GET',
  path: '/api/x',
  access: 'public',
  description: { en: '', zh: '' },
  output: z.string(),
} as const;
const page = { page: 3, pageSize: 20, offset: 40, limit: 20 };
const ok = { message: '' };

envelope('sends data: null when there is nothing to return', () => {
  const plain = endpoint({ ...base, shape: 'data' });
  assert.equal(packSuccess(plain, undefined, ok), { success: true, message: '', data: null });
});

envelope('puts a page into data with the page from 1', () => {
  const list = endpoint({ ...base, shape: 'page', paging: pagedFromOne });
  const body = packSuccess(list, { items: ['a'], total: 41 }, { message: '', page });
  assert.equal(body, { success: true, message: '', data: { items: ['a'], total: 41, page: 3, page_size: 20 } });
  assert.equal(unpackSuccess(list, body), { result: { items: ['a'], total: 41, page: 3, page_size: 20 } });
});

envelope('keeps bare lists bare, their page from 0 on the wire and from 1 for callers', () => {
  const list = endpoint({ ...base, shape: 'list', paging: pagedFromZero });
  const body = packSuccess(list, { items: ['a'], total: 41, type_counts: { 1: 2 } }, { message: '', page });
  assert.equal(body, {
    success: true,
    message: '',
    data: ['a'],
    total: 41,
    type_counts: { 1: 2 },
    page: 2,
    page_size: 20,
  });
  assert.equal(unpackSuccess(list, body), {
    result: { items: ['a'], total: 41, type_counts: { 1: 2 }, page: 3, page_size: 20 },
  });
});

envelope('lets members stand beside data', () => {
  const beside = endpoint({ ...base, shape: 'beside' });
  const body = packSuccess(beside, { data: null, time: 1.5 }, ok);
  assert.equal(body, { success: true, message: '', data: null, time: 1.5 });
  assert.equal(unpackSuccess(beside, body), { result: { data: null, time: 1.5, message: '' } });
});

envelope('takes a failure that carries a verdict for an answer, and any other for a refusal', () => {
  const test = endpoint({ ...base, shape: 'beside', verdict: 'time' });
  const failed = { success: false, message: 'no', code: 'channel_test_failed', time: 2 };
  assert.equal(unpackSuccess(test, failed), { result: failed });
  assert.equal(unpackSuccess(test, { success: true, message: '', time: 1 }), {
    result: { success: true, message: '', time: 1 },
  });
  assert.is(unpackSuccess(test, { success: false, message: 'gone', code: 'channel_not_found' }), undefined);
});

envelope('passes bare bodies through, and takes success: false for a refusal', () => {
  const bare = endpoint({ ...base, shape: 'bare' });
  assert.equal(packSuccess(bare, { object: 'list' }, ok), { object: 'list' });
  assert.equal(unpackSuccess(bare, { object: 'list' }), { result: { object: 'list' } });
  assert.is(unpackSuccess(bare, { success: false, code: 'x', message: '' }), undefined);
});

envelope('takes a body of another shape for no success', () => {
  const list = endpoint({ ...base, shape: 'list' });
  for (const body of [undefined, null, 'x', [], {}, { success: 1 }, { success: true, data: {} }]) {
    assert.is(unpackSuccess(list, body), undefined);
  }
});

envelope('names the field at fault beside the code, in both languages', () => {
  const failure = { code: 'invalid_params', params: {}, field: 'quota' };
  assert.equal(packFailure(failure, 'en'), {
    success: false,
    message: 'Invalid parameters: quota',
    code: 'invalid_params',
    field: 'quota',
  });
  assert.is(packFailure(failure, 'zh').message, '参数无效：quota');
  assert.is(
    packFailure({ code: 'too_many_requests', params: { s: 7 } }, 'en').message,
    'Too many requests, try again in 7 s',
  );
});

const pages: [Paging, Record<string, unknown>, { page: number; pageSize: number; offset: number }][] = [
  [pagedFromOne, {}, { page: 1, pageSize: 10, offset: 0 }],
  [pagedFromOne, { p: '0' }, { page: 1, pageSize: 10, offset: 0 }],
  [pagedFromOne, { p: '-4', page_size: '-1' }, { page: 1, pageSize: 10, offset: 0 }],
  [pagedFromOne, { p: 'x', page_size: 'NaN' }, { page: 1, pageSize: 10, offset: 0 }],
  [pagedFromOne, { p: '3', page_size: '20' }, { page: 3, pageSize: 20, offset: 40 }],
  [pagedFromOne, { p: '2', page_size: '5000' }, { page: 2, pageSize: 100, offset: 100 }],
  [pagedFromZero, {}, { page: 1, pageSize: 10, offset: 0 }],
  [pagedFromZero, { p: '1' }, { page: 2, pageSize: 10, offset: 10 }],
  [
    { ...pagedFromZero, size: 'size' },
    { p: '0', size: '50' },
    { page: 1, pageSize: 50, offset: 0 },
  ],
  [
    { ...pagedFromZero, size: 'size' },
    { p: '0', page_size: '50' },
    { page: 1, pageSize: 50, offset: 0 },
  ],
];

envelope('reads pages from 0 and from 1, and falls back on what is unusable', () => {
  for (const [paging, query, expected] of pages) {
    const { page: number, pageSize, offset } = readPage(paging, query);
    assert.equal({ page: number, pageSize, offset }, expected, JSON.stringify(query));
  }
});

envelope('takes a page far beyond the end for one beyond the end, not for the first', () => {
  for (const p of ['9999999999', '9007199254740993', '9'.repeat(30)]) {
    const { page, offset } = readPage(pagedFromZero, { p, page_size: '100' });
    assert.is(page, 1_000_000_000, p);
    assert.ok(Number.isSafeInteger(offset), p);
  }
});

envelope('writes the page that it reads back', () => {
  for (const paging of [pagedFromOne, pagedFromZero, { ...pagedFromZero, size: 'size' as const }]) {
    for (const number of [1, 2, 7]) {
      const query = writePage(paging, { page: number, page_size: 50 });
      assert.is(readPage(paging, query).page, number);
      assert.is(readPage(paging, query).pageSize, 50);
    }
  }
});

envelope.run();
