import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionValues } from '../../../daemon/contract/options.ts';
import { priceMaps } from '../../../daemon/contract/price-options.ts';
import type { OptionEdit } from '../../../daemon/domain/options.ts';
import { PriceSync, type PriceSyncWish } from '../../../daemon/domain/price-sync.ts';
import { TollgateError } from '../../../daemon/errors.ts';
import { actor } from '../../support/domain-world.ts';
import { optionsView } from '../../support/options-view.ts';

const sync = suite('domain/price-sync');

const admin = actor();

/** Prices in memory, and a list at an address. */
class World {
  values: OptionValues;
  readonly fetched: string[] = [];
  readonly sync: PriceSync;

  constructor(values: OptionValues, text = '{}') {
    this.values = values;
    this.sync = new PriceSync({
      current: () => optionsView(this.values),
      options: {
        edit: async (_actor, _keys, edit: OptionEdit) => {
          this.values = { ...this.values, ...edit.change(optionsView(this.values)) };
          return 7;
        },
      },
      fetchText: async (url) => {
        this.fetched.push(url);
        if (text === '') throw new Error('refused');
        return text;
      },
    });
  }
}

const wish = (content: unknown, over: Partial<PriceSyncWish> = {}): PriceSyncWish => ({
  from: { content },
  only: [],
  except: [],
  maxRise: undefined,
  newModels: 'add',
  note: '',
  ...over,
});

async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error = await work.catch((cause: unknown) => cause);
  return error instanceof TollgateError ? [error.code, error.params.models] : error;
}

sync('changes what is listed, and nothing else', async () => {
  const world = new World({ ModelRatio: { a: 1, kept: 9 }, CompletionRatio: { a: 2 }, ModelPrice: { picture: 0.04 } });
  const list = { model_ratio: { a: 2, fresh: 3 }, completion_ratio: { a: 2 }, model_price: { picture: 0.05 } };
  const plan = await world.sync.plan(wish(list));
  assert.equal(plan.changes, [
    { name: 'a', map: 'ModelRatio', before: 1, after: 2 },
    { name: 'fresh', map: 'ModelRatio', before: undefined, after: 3 },
    { name: 'picture', map: 'ModelPrice', before: 0.04, after: 0.05 },
  ]);
  assert.equal(world.values.ModelRatio, { a: 1, kept: 9 });
  const { version } = await world.sync.apply(admin, wish(list));
  assert.is(version, 7);
  assert.equal(world.values.ModelRatio, { a: 2, kept: 9, fresh: 3 });
  assert.equal([world.values.ModelPrice, world.values.CompletionRatio], [{ picture: 0.05 }, { a: 2 }]);
});

sync('leaves out what would go from a price by token to one by call, or back', async () => {
  const world = new World({ ModelRatio: { a: 1 }, ModelPrice: { b: 1 } });
  const list = { model_ratio: { b: 2 }, model_price: { a: 2 } };
  const plan = await world.sync.plan(wish(list));
  assert.equal(plan.changes, []);
  assert.equal(plan.leftOut, [
    { name: 'a', reason: 'kind' },
    { name: 'b', reason: 'kind' },
  ]);
});

sync('takes the names that are allowed and not denied, and new ones only where they are wanted', async () => {
  const world = new World({ ModelRatio: { 'gpt-4o': 1 }, ModelPrice: {} });
  const list = { model_ratio: { 'gpt-4o': 2, 'gpt-4o-mini': 2, 'gpt-5': 2, claude: 2 } };
  const names = async (over: Partial<PriceSyncWish>) =>
    (await world.sync.plan(wish(list, over))).changes.map(({ name }) => name);
  assert.equal(await names({ only: ['gpt-4*'] }), ['gpt-4o', 'gpt-4o-mini']);
  assert.equal(await names({ only: ['gpt-*'], except: ['*-mini', 'gpt-?'] }), ['gpt-4o']);
  assert.equal(await names({ newModels: 'skip' }), ['gpt-4o']);
});

sync('refuses as a whole what makes a model dearer than the limit, by whatever price of it', async () => {
  const world = new World({ ModelRatio: { a: 1, b: 1, free: 0 }, CompletionRatio: { a: 4, b: 4 }, ModelPrice: {} });
  const list = { model_ratio: { a: 1.1, b: 0.5, free: 0 }, completion_ratio: { a: 4, b: 9.6 } };
  // b: prompts at half the price, answers at 4.8 instead of 4.
  assert.equal((await world.sync.plan(wish(list, { maxRise: 10 }))).over, [{ name: 'b', rise: 20 }]);
  assert.equal(await refusal(world.sync.apply(admin, wish(list, { maxRise: 10 }))), ['price_rise_exceeded', 'b']);
  assert.equal(world.values.ModelRatio, { a: 1, b: 1, free: 0 });
  assert.equal((await world.sync.plan(wish(list, { maxRise: 20 }))).over, []);
  assert.is((await world.sync.plan(wish({ model_ratio: { free: 1 } }, { maxRise: 1e6 }))).over.length, 1);
});

sync('names the models with figures that are no prices, and takes over the others', async () => {
  const world = new World({ ModelRatio: { a: 1 }, CompletionRatio: { a: 2 }, ModelPrice: {} });
  const unread = async (list: unknown, over: Partial<PriceSyncWish> = {}) =>
    (await world.sync.plan(wish(list, over))).leftOut.map(({ name, reason }) => `${name} ${reason}`);
  const ratios = { model_ratio: { a: '2', b: -1, c: 3, n: null }, completion_ratio: { c: 2e6, a: 3 } };
  assert.equal(await unread(ratios), ['a unread', 'b unread', 'c unread']);
  assert.equal(await unread(ratios, { only: ['b*'] }), ['b unread']);
  assert.equal(
    (await world.sync.plan(wish(ratios))).changes.map(({ name, map, after }) => `${name} ${map} ${after}`),
    ['c ModelRatio 3'],
  );
  // Dollars a million where dollars a token belong; what is priced by the second says nothing, as before.
  const openai = { litellm_provider: 'openai', mode: 'chat', output_cost_per_token: 1e-5 };
  const spoken = { litellm_provider: 'openai', input_cost_per_second: 0.1 };
  assert.equal(
    await unread({ x: { ...openai, input_cost_per_token: 2.5 }, y: { ...openai, input_cost_per_token: 1e-6 }, spoken }),
    ['x unread'],
  );
  const router = { data: [{ id: 'auto', pricing: { prompt: '-1', completion: '-1' } }] };
  assert.equal(await unread(router), ['auto unread']);
});

sync('writes down what would else follow another ratio away from the list', async () => {
  // Without an entry the ratio of pictures that come out is that of answers.
  const world = new World({ ModelRatio: { a: 1 }, CompletionRatio: { a: 4 }, ModelPrice: {} });
  const list = { model_ratio: { a: 1 }, completion_ratio: { a: 8 }, image_completion_ratio: { a: 4 } };
  assert.equal((await world.sync.plan(wish(list))).changes, [
    { name: 'a', map: 'CompletionRatio', before: 4, after: 8 },
    { name: 'a', map: 'ImageCompletionRatio', before: undefined, after: 4 },
  ]);
});

sync('tells an address that cannot be read from a list that is not known', async () => {
  const from = { url: 'https://prices.example/list.json' };
  assert.equal(await refusal(new World({}, '').sync.plan(wish(0, { from }))), ['price_source_failed', undefined]);
  assert.equal(await refusal(new World({}, '<html>').sync.plan(wish(0, { from }))), [
    'price_source_unknown',
    undefined,
  ]);
  assert.equal(await refusal(new World({}, '[]').sync.plan(wish(0, { from }))), ['price_source_unknown', undefined]);
});

sync('never removes an entry, never turns the kind of a price, and has nothing left to do afterwards', async () => {
  const names = fc.constantFrom('a', 'b', 'c', 'gpt-4o', '__proto__');
  const map = fc.dictionary(
    names,
    fc.integer({ min: 0, max: 50 }).map((value) => value / 10),
    { maxKeys: 4 },
  );
  const fields = ['model_ratio', 'completion_ratio', 'cache_ratio', 'cache_creation_ratio', 'audio_ratio'];
  const more = ['audio_completion_ratio', 'image_ratio', 'image_completion_ratio', 'model_price'];
  const maps = fc.tuple(...priceMaps.map(() => map));
  await fc.assert(
    fc.asyncProperty(maps, maps, async (own, listed) => {
      const before: OptionValues = Object.fromEntries(priceMaps.map((key, at) => [key, own[at]]));
      const list = Object.fromEntries([...fields, ...more].map((key, at) => [key, listed[at]]));
      const world = new World(before);
      const { plan } = await world.sync.apply(admin, wish(list)).catch((error: unknown) => {
        if (error instanceof TollgateError && error.code === 'price_source_unknown') return { plan: undefined };
        throw error;
      });
      if (!plan) return;
      for (const key of priceMaps) {
        for (const name of Object.keys(before[key] ?? {})) assert.ok(Object.hasOwn(world.values[key] ?? {}, name));
      }
      const isByCall = (values: OptionValues, name: string) => Object.hasOwn(values.ModelPrice ?? {}, name);
      for (const name of Object.keys({ ...before.ModelRatio, ...before.ModelPrice })) {
        assert.is(isByCall(world.values, name), isByCall(before, name), name);
      }
      assert.equal((await world.sync.plan(wish(list))).changes, []);
    }),
    { numRuns: 150 },
  );
});

sync.run();
