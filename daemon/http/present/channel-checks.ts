/** What channel tests have found, on the wire. */
import type { ChannelTestView } from '../../contract/channel-checks.ts';
import { formatError, type Language } from '../../contract/error-codes.ts';
import type { TestOutcome } from '../../domain/channel-checks.ts';
import type { ChannelTestRecord } from '../../store/channel-tests.ts';

export function presentChannelTest(test: ChannelTestRecord): ChannelTestView {
  return {
    id: test.id,
    model: test.model,
    created_at: test.createdAt,
    ok: test.ok,
    time_ms: test.timeMs,
    status: test.status,
    message: test.message,
    actor_id: test.actorId,
  };
}

/** A failed test is an answer of its own, because its time must be told too (management-api.md 1.1). */
export function presentTest({ code, reason: said, own, timeMs, tokens }: TestOutcome, language: Language) {
  const time = Math.round(timeMs) / 1000;
  if (code === undefined) return { success: true, message: '', time, tokens };
  const reason = own === undefined ? said : formatError(own.code, own.params, language);
  return { success: false, message: formatError(code, { reason }, language), code, time, tokens };
}
