/** Conversations by chance through all pairs of dialects, there and back: what arrives is what docs/conversion.md says. */
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatRequest } from '../../daemon/relay/canonical/chat.ts';
import { withResultsAtCalls } from '../../daemon/relay/canonical/result-places.ts';
import type { ChatFormat } from '../../daemon/relay/format.ts';
import { chatFormats } from '../../daemon/relay/formats/index.ts';
import { dialectOf, type Fate, models, requestFates } from './conversion-page.ts';
import { type Fact, factsOf, features, requestOf, type Sketch, sketches } from './random-conversations.ts';
import { testScope } from './scope.ts';

const test = suite('random conversations');
/** For each pair of dialects. */
const mostRuns = 100;
const longestMs = 400;
/** Between a dialect and itself. */
const EVERYTHING: ReadonlyMap<string, Fate> = new Map(features.map((feature) => [feature, 'carried']));

interface Journey {
  readonly sent: ChatRequest;
  readonly read: ChatRequest;
  readonly lost: readonly string[];
}

/** The conversation as a client of the format sends it. */
function asSent(client: ChatFormat, request: ChatRequest): ChatRequest {
  const said = client.encodeRequest(request, testScope({ identity: true, webSearch: true, cacheMarks: true }));
  return client.decodeRequest(throughText(said));
}

/** One way: a request in the words of a format, and what is read of them there. */
function through(format: ChatFormat, request: ChatRequest): Journey {
  const scope = testScope();
  const sent = { ...request, items: withResultsAtCalls(request.items), model: models[dialectOf(format)] };
  return { sent, read: format.decodeRequest(throughText(format.encodeRequest(sent, scope))), lost: scope.lost };
}

function throughText<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** What the page says of both ways together; what the far dialect cannot say is no matter of the way back. */
function bothWays(there: ReadonlyMap<string, Fate>, back: ReadonlyMap<string, Fate>): ReadonlyMap<string, Fate> {
  return new Map(
    [...there].map(([feature, fate]) => {
      const later = back.get(feature) ?? 'unsayable';
      return [feature, fate !== 'carried' || later === 'unsayable' ? fate : later];
    }),
  );
}

/** What is gone without leave, there twice, or elsewhere than it was said. */
function faults({ sent, read, lost }: Journey, fates: ReadonlyMap<string, Fate>): string[] {
  const told = factsOf(sent);
  const arrived = new Map<string, number>();
  for (const { what } of factsOf(read)) arrived.set(what, (arrived.get(what) ?? 0) + 1);
  const isExcused = ({ feature, note }: Fact) => {
    const fate = fates.get(feature);
    return fate === 'changed' || (fate !== 'carried' && lost.some((field) => note.test(field)));
  };
  const missing = told.filter((fact) => !arrived.has(fact.what) && !isExcused(fact)).map(({ what }) => `lost: ${what}`);
  const doubled = [...arrived].filter(([, times]) => times > 1).map(([what]) => `twice: ${what}`);
  return [...missing, ...doubled, ...disorder(told, factsOf(read))];
}

/** Words of both sides and calls keep their order. */
function disorder(told: readonly Fact[], read: readonly Fact[]): string[] {
  const isWord = (what: string) => /^(user|model|call) /.test(what);
  const before = told.map(({ what }) => what).filter(isWord);
  const after = read.map(({ what }) => what).filter((what) => isWord(what) && before.includes(what));
  const expected = before.filter((what) => after.includes(what));
  return JSON.stringify(expected) === JSON.stringify(after) ? [] : [`order: ${expected} became ${after}`];
}

for (const client of chatFormats) {
  for (const upstream of chatFormats) {
    const isSame = client === upstream;
    const fates = isSame ? EVERYTHING : requestFates(client, upstream);
    const returned = isSame ? EVERYTHING : bothWays(fates, requestFates(upstream, client));
    const faultsOf = (sketch: Sketch) => {
      const there = through(upstream, asSent(client, requestOf(sketch, dialectOf(client), dialectOf(upstream))));
      const back = through(client, there.read);
      const whole = { sent: there.sent, read: back.read, lost: [...there.lost, ...back.lost] };
      return [...faults(there, fates), ...faults(whole, returned).map((fault) => `back, ${fault}`)];
    };
    test(`reach ${upstream.id} from ${client.id}, and come back, as the page says`, () => {
      const { counterexample } = fc.check(
        fc.property(sketches, (sketch) => faultsOf(sketch).length === 0),
        { numRuns: mostRuns, interruptAfterTimeLimit: longestMs },
      );
      const [sketch] = counterexample ?? [];
      if (sketch !== undefined) assert.equal(faultsOf(sketch), [], JSON.stringify(sketch));
    });
  }
}

test.run();
