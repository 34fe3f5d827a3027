import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TollgateError } from '../../../../daemon/errors.ts';
import { isObject, type Json } from '../../../../daemon/relay/json.ts';
import type { ProviderAdapter } from '../../../../daemon/relay/provider.ts';
import { providers } from '../../../../daemon/relay/providers/index.ts';
import { readRequest, recordedCases } from '../../../conformance/cases.ts';
import { callOf } from '../../../support/adapter-calls.ts';

const test = suite('bodies that providers amend');

function freeze(value: Json): Json {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

/** Undefined for what the vendor has no word for, as lists of token ids. */
function amendedOrRefused(adapter: ProviderAdapter, body: Json): Json | undefined {
  try {
    return adapter.amendBody?.(body, callOf(adapter)) ?? body;
  } catch (error) {
    if (error instanceof TollgateError && error.code === 'convert_request_failed') return undefined;
    throw error;
  }
}

test('quirks never change what belongs to the client, and settle in one pass', () => {
  const requests = recordedCases().flatMap((one) => {
    const request = readRequest(one);
    return isObject(request) ? [{ name: one.name, request }] : [];
  });
  assert.ok(requests.length > 100);
  for (const adapter of providers) {
    for (const { name, request } of requests) {
      const once = amendedOrRefused(adapter, freeze(request));
      if (once === undefined) continue;
      assert.equal(amendedOrRefused(adapter, once), once, `${adapter.id} ${name}`);
    }
  }
});

test.run();
