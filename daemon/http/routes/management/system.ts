/** Routes about the state of the site (console.md 6.25, cli.md E18). */
import { contract } from '../../../contract/index.ts';
import type { SystemStateService } from '../../../domain/system-state.ts';
import { implement, type Route } from '../../implement.ts';
import { presentLatency, presentNodes, presentReached, presentSystem } from '../../present/system.ts';

export const systemRoutes = (system: SystemStateService, version: string): Route[] => [
  implement(contract.system.nodes, async () => ({ items: presentNodes(await system.nodes()) })),
  implement(contract.system.get, async ({ request }) => presentSystem(await system.state(), version, request.language)),
  implement(contract.system.latency, async () => ({ items: (await system.times()).map(presentLatency) })),
  implement(contract.system.check, async () => ({ items: (await system.reachAll()).map(presentReached) })),
];
