/** Routes about the state of the site (console.md 6.25, cli.md E18). */
import { contract } from '../../../contract/index.ts';
import type { SelfTests } from '../../../domain/self-tests.ts';
import type { SystemStateService } from '../../../domain/system-state.ts';
import { implement, type Route } from '../../implement.ts';
import {
  presentLatency,
  presentNodes,
  presentReached,
  presentSelfTest,
  presentSystem,
  type SystemFacts,
} from '../../present/system.ts';

export interface SystemRouteDeps {
  readonly system: SystemStateService;
  readonly tests: SelfTests;
  readonly facts: SystemFacts;
}

export const systemRoutes = ({ system, tests, facts }: SystemRouteDeps): Route[] => [
  implement(contract.system.nodes, async () => ({ items: presentNodes(await system.nodes()) })),
  implement(contract.system.get, async ({ request }) => presentSystem(await system.state(), facts, request.language)),
  implement(contract.system.latency, async () => ({ items: (await system.times()).map(presentLatency) })),
  implement(contract.selfTests.run, async ({ input: { check }, request }) =>
    presentSelfTest(check, await tests.run(check), request.language),
  ),
  implement(contract.selfTests.proof, ({ input }) => ({ proof: tests.prove(input.challenge) })),
  implement(contract.system.check, async () => ({ items: (await system.reachAll()).map(presentReached) })),
];
