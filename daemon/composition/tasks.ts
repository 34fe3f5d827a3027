/** Work that goes on after its answer: its books, and what asks upstreams what has become of it. */

import { equalTexts } from '../config/secrets.ts';
import type { OptionsView } from '../contract/options.ts';
import { BudgetPeriods } from '../domain/budget-periods.ts';
import { Drawings } from '../domain/drawings.ts';
import { Songs } from '../domain/songs.ts';
import { TaskBooks } from '../domain/task-books.ts';
import type { GatewayDeps } from '../gateway/gateway.ts';
import { followedDrawings } from '../gateway/tasks/drawing-poll.ts';
import { followedSongs } from '../gateway/tasks/song-poll.ts';
import { TaskPoller, type TaskPollerDeps } from '../gateway/tasks/task-poller.ts';
import type { TaskUpstreams } from '../gateway/tasks/task-request.ts';
import type { Job } from '../jobs/scheduler.ts';
import { taskFollowUpJobs } from '../jobs/task-follow-up.ts';
import type { Foundation } from './foundation.ts';

export interface TaskParts extends Pick<GatewayDeps, 'drawings' | 'drawingHooks' | 'songs' | 'lostTask'> {
  readonly jobs: readonly Job[];
}

/** Builds the books of tasks and the jobs that follow them up; none on a node that leaves that to others. */
export function buildTasks(foundation: Foundation, upstreams: TaskUpstreams, options: () => OptionsView): TaskParts {
  const { config, log, clock, nowSeconds, keyring, database, snapshots } = foundation;
  const { stores } = database;
  const language = config.site.default_language;
  const books = new TaskBooks({
    database,
    options,
    language,
    nowSeconds,
    periods: new BudgetPeriods(config.site.time_zone),
  });
  const drawings = new Drawings({ stores, books });
  const secretOf = (channelId: number) => keyring.codeHash('drawing-callback', String(channelId), '');
  const songs = new Songs({ stores, books, nowSeconds });
  const polling: TaskPollerDeps = {
    ...upstreams,
    view: () => snapshots.current(),
    report: ({ channelId, error }) => log.warn({ err: error, channelId }, 'tasks could not be followed up'),
  };
  const pollers = {
    drawing: new TaskPoller(polling, followedDrawings(drawings, clock.now)),
    song: new TaskPoller(polling, followedSongs(songs, nowSeconds)),
  };
  const follows = config.jobs.update_task && config.node.type !== 'slave';
  return {
    drawings,
    drawingHooks: {
      secretOf,
      isSecretOf: (channelId, secret) => equalTexts(secretOf(channelId), secret),
    },
    songs,
    lostTask: (task, error) => log.error({ ...task, err: error }, 'a task was accepted upstream and not remembered'),
    jobs: follows ? taskFollowUpJobs(pollers, foundation.leases) : [],
  };
}
