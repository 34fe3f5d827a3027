/** `/healthz` and `/readyz` (C41): plain text, not logged, not rate-limited. */
import Router from '@koa/router';
import type Koa from 'koa';

export interface HealthDeps {
  /** True once the node serves and until it begins to shut down. */
  readonly isServing: () => boolean;
  /** Rejects while the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** False while the database takes no writes, so that no call can be charged. */
  readonly takesWrites: () => boolean;
}

/** Answers both paths to GET and HEAD; everything else goes on. */
export function healthRoutes(deps: HealthDeps) {
  const router = new Router();
  router.get('/healthz', (ctx) => tell(ctx, 200, 'ok'));
  router.get('/readyz', async (ctx) => {
    const obstacle = await obstacleTo(deps);
    if (obstacle === undefined) tell(ctx, 200, 'ready');
    else tell(ctx, 503, obstacle);
  });
  return router.routes();
}

/** Why no call could be served and charged now. */
async function obstacleTo({ isServing, pingDatabase, takesWrites }: HealthDeps): Promise<string | undefined> {
  if (!isServing()) return 'not serving';
  try {
    await pingDatabase();
  } catch {
    return 'database unavailable';
  }
  return takesWrites() ? undefined : 'database takes no writes';
}

function tell(ctx: Koa.ParameterizedContext, status: number, text: string): void {
  ctx.status = status;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.set('Cache-Control', 'no-store');
  ctx.body = text;
}
