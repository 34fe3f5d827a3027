/** Wenxin's numbers, most of them with status 200. Source: providers/baidu.md (V1), read 2026-11. */
import type { FailureRule } from '../../failure.ts';

export const wenxinFailures: readonly FailureRule[] = [
  { code: ['13', '14'], means: 'bad-key' },
  { code: ['17', '19'], means: 'no-credit' },
  { code: '6', means: 'not-allowed' },
  { code: ['3', '336005', '337006', '337008', '337009'], means: 'no-model' },
  { code: ['4', '18', '336100', '336501', '336502', '336503', '336504', '336505', '336507'], means: 'rate-limit' },
  { code: ['15', '100', '110', '111'], means: 'stale-token' },
  { code: ['1', '2', '336000', '336200'], means: 'overload' },
  { code: ['336001', '336002', '336003', '336004', '336006', '336007', '336008'], means: 'bad-request' },
  { code: '336103', means: 'bad-request', tells: 'context_length_exceeded' },
  { code: ['336101', '336104', '336105', '336117', '336118'], means: 'bad-request' },
  { code: ['336122', '336123', '336221'], means: 'bad-request' },
];
