/** The codes of both generations of Zhipu's interface. Source: providers/zhipu.md, read 2026-11. */
import type { FailureRule } from '../../failure.ts';

export const zhipuFailures: readonly FailureRule[] = [
  { code: ['1000', '1001', '1002', '1003', '1004', '1100'], means: 'bad-key' },
  { code: ['1110', '1111', '1112', '1121', '1309'], means: 'bad-key' },
  // Comes with status 429, like a limit.
  { code: '1113', means: 'no-credit' },
  { code: ['1211', '1221', '1222', '1311'], means: 'no-model' },
  { code: '1220', means: 'not-allowed' },
  { status: 434, means: 'not-allowed' },
  { code: ['1200', '1210', '1212', '1213', '1214', '1215'], means: 'bad-request' },
  // A file that is too large.
  { status: 435, means: 'bad-request', shows: 413 },
  { code: '1261', means: 'bad-request', tells: 'context_length_exceeded' },
  { code: ['1300', '1301'], means: 'bad-request', tells: 'content_filter' },
  { code: '1304', means: 'rate-limit', exhausts: 'model' },
  { code: ['1308', '1310', '1313'], means: 'rate-limit', exhausts: 'key' },
  { code: ['1302', '1303', '1305', '1312'], means: 'rate-limit' },
  { code: ['1120', '1230', '1234'], means: 'overload' },
];
