/** What the books refuse to take as it is (relay.md 15.5, S1). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkedSettlement, type Settlement } from '../../../daemon/domain/settlement.ts';
import { newLogRow } from '../../support/log-records.ts';

const settlements = suite('settlements');

const settlement = (over: Partial<Settlement>, quotas: readonly number[] = []): Settlement => ({
  requestId: 'r',
  userId: 1,
  tokenId: 1,
  tokenLimited: true,
  held: 100,
  charge: 60,
  outcome: 'settled',
  reason: 'complete',
  channelId: 1,
  counted: true,
  rows: quotas.map((quota) => newLogRow({ quota })),
  budgets: [],
  nowSeconds: 1,
  ...over,
});

settlements('are taken as they are where they add up, rows or none', () => {
  for (const sound of [settlement({}, [60]), settlement({}, [50, 10]), settlement({}), settlement({ held: 0 }, [60])]) {
    assert.equal(checkedSettlement(sound), { sound, fault: undefined });
  }
  const released = settlement({ outcome: 'released', charge: 0 }, [0]);
  assert.equal(checkedSettlement(released), { sound: released, fault: undefined });
});

settlements('are made at what was held where an amount is none, or rows are not the charge', () => {
  const faulty = [
    settlement({ charge: -1 }, [-1]),
    settlement({ charge: 0.5 }, [0.5]),
    settlement({ charge: 2 ** 53 }, [2 ** 53]),
    settlement({ charge: Number.NaN }, [60]),
    settlement({}, [59]),
    settlement({}, [61, -1]),
    settlement({}, [30, 31]),
  ];
  for (const given of faulty) {
    const { sound, fault } = checkedSettlement(given);
    assert.ok(fault, JSON.stringify(given));
    assert.equal([sound.held, sound.charge, sound.budgets], [100, 100, undefined]);
    assert.is(
      sound.rows.reduce((sum, { quota }) => sum + quota, 0),
      100,
    );
  }
});

settlements('never give money for a negative charge, though no row speaks against it', () => {
  const { sound, fault } = checkedSettlement(settlement({ charge: -60 }));
  assert.equal([sound.charge, fault], [100, 'charge -60']);
});

settlements('give the hold back whatever is charged for what was released', () => {
  for (const charge of [5, -5]) {
    const { sound, fault } = checkedSettlement(settlement({ outcome: 'released', charge }, [charge]));
    assert.ok(fault);
    assert.equal([sound.outcome, sound.held, sound.charge, sound.rows[0]?.quota], ['released', 100, 0, 0]);
  }
});

settlements('charge nothing where it is not even known what was held', () => {
  const { sound, fault } = checkedSettlement(settlement({ held: Number.NaN }, [60]));
  assert.ok(fault);
  assert.equal([sound.held, sound.charge], [0, 0]);
});

settlements.run();
