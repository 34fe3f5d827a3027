/** One ordinary call as the ledger sees it, priced and logged by the daemon's own code. */
import { PriceBook } from '../../daemon/domain/price-book.ts';
import { defaultPriceTables, fixedPriceRules } from '../../daemon/domain/price-file.ts';
import { computeCharge, reservationAmount } from '../../daemon/domain/pricing.ts';
import type { Settlement } from '../../daemon/domain/settlement.ts';
import type { UsageLog } from '../../daemon/domain/usage-log.ts';
import { emptyUsage } from '../../daemon/relay/canonical/usage.ts';

const book = new PriceBook({
  tables: defaultPriceTables(),
  rules: fixedPriceRules(),
  quotaPerUnit: 500_000,
  preConsumedQuota: 500,
});

/** Its hold and its settlement. `call` makes the request id. */
export function answeredCall(usageLog: UsageLog, { account, call }: { account: number; call: number }) {
  const price = book.find({ client: 'gpt-4o', bare: 'gpt-4o' }, { unpriced: false });
  if (!price) throw new Error('no price');
  const groupRatio = book.groupRatio('default', 'default');
  const requestId = `20260101000000${String(call).padStart(9, '0')}abcdefgh`;
  const output = { mode: 'whole', choices: 1 } as const;
  const held = reservationAmount({ price, group: groupRatio, promptTokens: 100, output });
  const usage = { ...emptyUsage(), prompt: 1000, cached: 200, completion: 500 };
  const charge = computeCharge({ price, group: groupRatio, usage });
  // Nothing is made by spreading: that is slow for large objects, and the hot path of the daemon avoids it.
  const channelId = 1 + (call % 5);
  const nowMs = Date.now();
  const rows = usageLog.consumed(
    {
      requestId,
      userId: account,
      tokenId: account,
      username: `user-${account}`,
      tokenName: 'laptop',
      modelName: 'gpt-4o',
      group: 'default',
      channelId,
      ip: null,
      isStream: true,
      startedAtMs: nowMs - 1500,
      endedAtMs: nowMs,
      firstTokenMs: 300,
      requestPath: '/v1/chat/completions',
      reason: 'complete',
      admin: {
        usedChannels: [channelId],
        attempts: [{ channel: channelId, key: 1, status: 200, code: '', ms: 1500, message: '' }],
      },
    },
    { price, groupRatio, usage, charge, cost: charge.quota, kind: 'text', promptColumn: 'inclusive' },
  );
  const settle: Settlement = {
    requestId,
    userId: account,
    tokenId: account,
    tokenLimited: true,
    held,
    charge: charge.quota,
    outcome: 'settled',
    reason: 'complete',
    channelId,
    counted: true,
    nowSeconds: Math.floor(nowMs / 1000),
    rows,
  };
  const hold = { requestId, userId: account, tokenId: account, tokenLimited: true, amount: held, group: 'default' };
  return { hold, settle };
}
