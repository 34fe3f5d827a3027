import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CliError } from '../../../cli/errors.ts';
import { parseMoney, unitsToUsd } from '../../../cli/input/money.ts';

const money = suite('money words');

money('reads dollars exactly with the server’s QuotaPerUnit', () => {
  assert.is(parseMoney('5usd', 500_000, '--quota'), 2_500_000);
  assert.is(parseMoney('0.25usd', 500_000, '--quota'), 125_000);
  assert.is(parseMoney('$5', 500_000, '--quota'), 2_500_000);
  assert.is(parseMoney('4usd', 0.5, '--quota'), 2);
  assert.is(parseMoney('0.000002usd', 500_000, '--quota'), 1);
});

money('reads units, and bare integers only from a thousand on', () => {
  assert.is(parseMoney('7units', 500_000, '--quota'), 7);
  assert.is(parseMoney('1000', 500_000, '--quota'), 1000);
  assert.throws(
    () => parseMoney('999', 500_000, '--quota'),
    (error: unknown) => error instanceof CliError && error.exitCode === 3 && error.text.en.includes('999usd'),
  );
});

money('refuses an amount that is no whole unit and names its neighbours', () => {
  assert.throws(
    () => parseMoney('0.000003usd', 500_000, '--quota'),
    (error: unknown) => error instanceof CliError && /1units and 2units/.test(error.text.en),
  );
});

money('refuses words that are no amount', () => {
  for (const text of ['', 'abc', '-5usd', '5 usd', '1e3', '5.usd', '99999999999999999999units']) {
    assert.throws(
      () => parseMoney(text, 500_000, '--quota'),
      (error: unknown) => error instanceof CliError,
      text,
    );
  }
});

money('shows units as exact decimal dollars', () => {
  assert.is(unitsToUsd(2_718, 500_000), '0.005436');
  assert.is(unitsToUsd(-500_000, 500_000), '-1');
  assert.is(unitsToUsd(0, 500_000), '0');
});

money.run();
