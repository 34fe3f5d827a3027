/** What a gateway has for work that goes on after its answer, with rounds that tests ask for instead of a clock. */
import { createHmac } from 'node:crypto';
import { BudgetPeriods } from '../../daemon/domain/budget-periods.ts';
import { Drawings } from '../../daemon/domain/drawings.ts';
import { Songs } from '../../daemon/domain/songs.ts';
import { TaskBooks } from '../../daemon/domain/task-books.ts';
import type { GatewayDeps } from '../../daemon/gateway/gateway.ts';
import { followedDrawings } from '../../daemon/gateway/tasks/drawing-poll.ts';
import { followedSongs } from '../../daemon/gateway/tasks/song-poll.ts';
import { TaskPoller, type TaskPollerDeps } from '../../daemon/gateway/tasks/task-poller.ts';
import type { Database } from '../../daemon/store/database.ts';

export interface TestTasks extends Pick<GatewayDeps, 'drawings' | 'drawingHooks' | 'songs' | 'lostTask'> {
  /** Asks every upstream once about all that is not final. */
  followUp(): Promise<void>;
}

/** The secret of a channel's callbacks. */
export function drawingSecret(channelId: number): string {
  return createHmac('sha256', 'test').update(String(channelId)).digest('hex');
}

/** @param report told of tasks that were lost, and of upstreams that could not be asked */
export function testTasks(
  database: Database,
  upstream: Omit<TaskPollerDeps, 'report'>,
  report: (error: unknown) => void,
): TestTasks {
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const options = () => upstream.view().options;
  const books = new TaskBooks({
    database,
    options,
    language: 'en',
    nowSeconds,
    periods: new BudgetPeriods('UTC'),
  });
  const drawings = new Drawings({ stores: database.stores, books });
  const songs = new Songs({ stores: database.stores, books, nowSeconds });
  const pollers = [
    new TaskPoller({ ...upstream, report }, followedDrawings(drawings, Date.now)),
    new TaskPoller({ ...upstream, report }, followedSongs(songs, nowSeconds)),
  ];
  return {
    drawings,
    drawingHooks: {
      secretOf: drawingSecret,
      isSecretOf: (channelId, secret) => secret === drawingSecret(channelId),
    },
    songs,
    lostTask: (task, error) => report({ task, error }),
    followUp: async () => {
      for (const poller of pollers) await poller.round(new AbortController().signal);
    },
  };
}
